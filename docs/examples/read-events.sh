#!/bin/sh
# Prints all pages of events since a timestamp, one page per line.
#   read-events.sh https://risk.example.com/api API_KEY 2026-10-21T00:00:00Z
offset=0
while :; do
  page=$(curl -fsS -G -H "X-Api-Key: $2" "$1/v1/events" -d limit=200 -d offset="$offset" --data-urlencode since="$3") || exit 1
  printf '%s\n' "$page"
  total=$(printf '%s' "$page" | sed 's/.*"total":\([0-9]*\).*/\1/')
  offset=$((offset + 200))
  [ "$offset" -lt "$total" ] || exit 0
done
