/** A setting in effect, with its origin. */
export type EffectiveSetting = {
  /** Such as `server.port`. */
  key: string;
  /** Null for a secret setting. */
  value: unknown;
  isSecret: boolean;
  /** False for an empty text or list. */
  isSet: boolean;
  /** `default`, or the place that set it: a line of the file, an environment variable, a flag. */
  origin: string;
};
