import { OperatorError } from "../domain/errors.ts";

type Numbered = readonly { number: number }[];

/** Returns the error of a command that does not migrate, for a database that lacks some of the migrations. */
export function olderSchemaError(database: string, pending: Numbered, migrations: Numbered): OperatorError {
  return new OperatorError(
    `${database} has schema version ${pending[0]!.number - 1}, and this version of Mainstay needs ${migrations.at(-1)!.number}`,
    "Stop the server, then start this version or run `mainstay migrate`. Until then, run commands with the server's executable.",
  );
}
