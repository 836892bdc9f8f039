#!/bin/sh
# An agent of the `script` harness in as little memory as can be. For each prompt: PIECES pieces of text, and done.
n=1
echo "{\"n\":1,\"type\":\"ready\",\"sessionId\":\"small-$$\"}"
while IFS= read -r line; do
  n=$((n + 1))
  echo "{\"n\":$n,\"type\":\"request\"}"
  piece=1
  while [ "$piece" -le "${PIECES:-5}" ]; do
    n=$((n + 1))
    echo "{\"n\":$n,\"type\":\"text\",\"text\":\"$piece \"}"
    piece=$((piece + 1))
  done
  n=$((n + 1))
  echo "{\"n\":$n,\"type\":\"done\"}"
done
