import { parseAdminListenSetting } from "../../config/setting-formats.ts";
import type { Config } from "../../config/settings.ts";
import { type HostCheck, ownRequestHostCheck } from "../../http/host-header.ts";

/**
 * Returns the check of the hosts by which clients reach the administrators' own listener. A reverse proxy forwards the
 * host of `server.public_url`.
 */
export function composeAdminHostCheck({ admin, server }: Config): HostCheck {
  const address = parseAdminListenSetting(admin.listen);
  const publicHost = URL.parse(server.publicUrl)?.hostname;
  return ownRequestHostCheck({
    listenHost: typeof address === "object" ? address.host : server.host,
    allowed: [...admin.allowedHosts, ...(publicHost === undefined ? [] : [publicHost])],
  });
}
