#!/bin/sh
# Whether a webhook's body, in a file, is what the sender signed: exit 0 when it is.
#   verify-webhook.sh BODY_FILE X_SERVICE_SIGNATURE WEBHOOK_SECRET
# openssl shows the secret to who may list this machine's processes: for trying things out.
expected="sha256=$(openssl dgst -sha256 -hmac "$3" < "$1" | sed 's/^.* //')"
[ "$expected" = "$2" ]
