#!/bin/sh
# An agent of the `script` harness that prints files of lines as fast as it can: one whenever its next gate is opened.
echo '{"n":1,"type":"ready","sessionId":"gated"}'
echo '{"n":2,"type":"request"}'
round=1
while read -r _ <"$GATES/$round"; do
  cat "$FILES.$round"
  round=$((round + 1))
done
