/** A setting in force. */
export type SettingInForce = {
  /** Such as `server.port`. */
  key: string;
  /** Null for one that is secret. */
  value: unknown;
  isSecret: boolean;
  /** Whether it holds anything: not an empty text or list. */
  isSet: boolean;
  /** `default`, or where it was given: a line of the file, a variable, a flag. */
  origin: string;
};
