import type { Config } from "../config/settings.ts";

export type Credentials = Pick<Config["rm"], "username" | "password" | "token">;

/** The Authorization header: the token, or user name and password, of the settings or else of the address. */
export function authorization({ username, password, token }: Credentials, url: URL): string | undefined {
  if (token !== "") return `Bearer ${token}`;
  const user = username || decodeURIComponent(url.username);
  if (user === "") return undefined;
  const secret = username === "" ? decodeURIComponent(url.password) : password;
  return `Basic ${Buffer.from(`${user}:${secret}`).toString("base64")}`;
}
