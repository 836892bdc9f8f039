#!/usr/bin/env bash
# Runs the same commands whenever it finds a file `go-NAME`, and writes how many microseconds they took to `took-NAME`.
# Ends when there is a file `stop`.
name=$1
while [ ! -e stop ]; do
  if [ ! -e "go-$name" ]; then
    sleep 0.02
    continue
  fi
  rm "go-$name"
  begin=${EPOCHREALTIME/[.,]/}
  for _ in 1 2 3 4 5; do
    /bin/true
    git status --short >/dev/null
    node -e 0
    grep -r needle sources >/dev/null
  done
  end=${EPOCHREALTIME/[.,]/}
  echo $((end - begin)) >"took-$name.part"
  mv "took-$name.part" "took-$name"
done
