#!/bin/sh
# An agent of the `script` harness that prints what somebody else writes into its pipe.
echo '{"n":1,"type":"ready","sessionId":"piped"}'
echo '{"n":2,"type":"request"}'
exec cat "$PIPE"
