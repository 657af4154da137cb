import type { Config } from "../config/settings.ts";

export type PmsCredentials = Pick<Config["rm"], "username" | "password" | "token">;

/** Returns the Authorization header, or undefined without credentials. Those in the settings override those in the URL. */
export function pmsAuthorizationHeader(
  { username, password, token }: PmsCredentials,
  url: URL,
): string | undefined {
  if (token !== "") return `Bearer ${token}`;
  const user = username || decodeURIComponent(url.username);
  if (user === "") return undefined;
  const secret = username === "" ? decodeURIComponent(url.password) : password;
  return `Basic ${Buffer.from(`${user}:${secret}`).toString("base64")}`;
}
