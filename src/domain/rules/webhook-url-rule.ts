/** Returns whether the text can be a webhook endpoint: an absolute http or https URL without credentials. */
export function meetsWebhookUrlRule(text: string): boolean {
  // A URL parser drops or escapes control characters and lone surrogates, so the stored text could differ from the one given.
  if (/[\p{Cc}\p{Cs}]/u.test(text)) return false;
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password;
}
