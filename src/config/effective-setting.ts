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
  /** The meaning and the accepted values, as the manual states them. */
  description: string;
  accepts: string;
  /** Null for a secret setting. */
  defaultValue: unknown;
};
