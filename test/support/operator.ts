const answerOf = (option: string) => Bun.spawnSync(["id", option]).stdout.toString().trim();

/** The user who runs the tests, as the audit log names who runs a command. */
export const operator = () => `cli:${answerOf("-un")}(${answerOf("-u")})`;
