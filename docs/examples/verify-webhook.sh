#!/bin/sh
# Verifies the signature of a webhook body in a file. Exits with 0 if it is valid.
#   verify-webhook.sh BODY_FILE X_SERVICE_SIGNATURE WEBHOOK_SECRET
# For testing only: other users of this machine can see the secret in the list of processes.
expected="sha256=$(openssl dgst -sha256 -hmac "$3" < "$1" | sed 's/^.* //')"
[ "$expected" = "$2" ]
