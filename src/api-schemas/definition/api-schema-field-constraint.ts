import type * as validators from "../../validation/arktype-validators.ts";

type Validators = typeof validators;
type Type = validators.Type<unknown>;

/**
 * Loads arktype at the first validation: a command or a server that has validated nothing needs none of it, and
 * creating every constraint would take a third of a server's start.
 */
export const requireApiSchemaValidators = (): Validators =>
  require("../../validation/arktype-validators.ts") as Validators;

/** The constraint on a field, with the type of a valid value: an arktype type, or one that is created at first use. */
export type Constraint<T> = { readonly infer: T };

type Create<T> = (type: Validators["type"]) => Constraint<T>;

class LazyConstraint {
  #validator: Type | undefined;

  constructor(private readonly create: Create<unknown>) {}

  get validator(): Type {
    this.#validator ??= this.create(requireApiSchemaValidators().type) as Type;
    return this.#validator;
  }
}

/** Returns a constraint that is created at its first use, by a function that gets arktype's `type`. */
export const defineSchemaConstraint = <T>(create: Create<T>): Constraint<T> =>
  new LazyConstraint(create) as unknown as Constraint<T>;

/** Returns the constraint as an arktype type. */
export const apiSchemaValidatorOf = (constraint: Constraint<unknown>): Type =>
  constraint instanceof LazyConstraint ? constraint.validator : (constraint as Type);

/** Creates the validator of an object, compiled to code since it is used often. */
export const compileApiSchemaObject = (fields: Record<string, Type>): validators.Type<object> =>
  requireApiSchemaValidators().compiledType(fields as never) as unknown as validators.Type<object>;
