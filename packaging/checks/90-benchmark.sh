#!/usr/bin/env bash
# What the agent costs, in short: numbers to look at, no pass or fail.
exec "$(dirname "$0")/../bench.sh" 110
