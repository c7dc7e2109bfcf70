import type { Advice } from './advice.ts'

const usage = 'Exits with code 2; nothing was changed'
const one = 'Exits with code 1; nothing was changed'
const some = 'Exits with code 1; what was done before stays'

/** Codes of errors of the command line itself; those of the server are in the other tables. */
export const commandAdvice: Readonly<Record<string, Advice>> = {
  usage: { why: 'An argument or a flag is missing or wrong', now: usage, todo: 'Add `--help` to the command' },
  settings: { why: 'A setting is wrong', now: usage, todo: '`sluice config`' },
  unreachable: {
    why: 'Nothing answers at the address: not running, another port, or a firewall',
    now: 'Exits with code 3; nothing was changed',
    todo: 'Start the server, or set `--url`, `--server-url`, or `--profile`',
  },
  failed: { why: 'The message has the cause', now: some, todo: 'Fix the cause, then repeat the command' },
  interrupted: {
    why: 'The command was interrupted (Ctrl+C, or SIGINT)',
    now: 'Exits with code 130; what it had finished stays',
    todo: 'Repeat the command to do the rest',
  },
  unhealthy: {
    why: 'The health report has an error, or `sluice status` found something wrong',
    now: one,
    todo: '`sluice status` explains each point, with the command to use',
  },
  damaged: {
    why: 'A check found damage or something missing; the lines before the message name it',
    now: one,
    todo: 'Spool: [SluiceEventsLost](../runbook.md#sluiceeventslost). Table: restore the file or metadata that is named',
  },
  left: {
    why: 'Part of the work could not be done; the lines before the message name each rest and its reason',
    now: some,
    todo: 'Fix the reasons, then repeat the command',
  },
  gone: {
    why: 'The snapshot before has expired, and the files with the rows that were dropped were deleted',
    now: one,
    todo: 'List rows sooner, or raise `collector.output.keep-snapshots-hours`',
  },
  refused: {
    why: 'The server refused some of the events; the lines before the message have the reasons',
    now: 'Exits with code 1; the other events are accepted',
    todo: '`sluice refused list`: [Refused events](../how-to/refused-events.md)',
  },
  misfits: {
    why: 'Events do not fit the schema; the lines before the message name the fields',
    now: one,
    todo: 'Fix the schema or the sender: [Contracts](contracts.md)',
  },
  table: {
    why: 'The table does not exist, is damaged or not supported, or other writers were faster',
    now: some,
    todo: '`sluice table check`; retry if other writers were faster',
  },
  unreadable: {
    why: 'A local or remote file is missing, damaged, or not in the expected format',
    now: some,
    todo: 'Check path, format and permissions',
  },
  exists: { why: 'The target exists', now: one, todo: 'Choose another name, or add `--overwrite`' },
  'not-found': { why: 'The path, pattern or name does not exist', now: one, todo: '`sluice fs ls`' },
  'not-directory': { why: 'The target has to be a directory', now: one, todo: '`sluice fs mkdir`' },
  'is-directory': { why: 'The target has to be a file', now: one, todo: 'Add `-R` where the command has it' },
  'not-file': { why: 'A local path is a device, socket or pipe', now: some, todo: 'Leave it out' },
  'bad-name': {
    why: 'This operating system cannot store the name',
    now: some,
    todo: 'Rename it on the server: `sluice fs mv`',
  },
  'no-report': {
    why: 'The address is not the collector listener',
    now: one,
    todo: 'Give its address: `--server-url`',
  },
  'too-many': { why: 'The result is too large', now: one, todo: 'Narrow it by type, code or time' },
  'replay-failed': {
    why: 'The server refused or did not answer',
    now: 'Exits with code 1; events sent so far are in',
    todo: 'Repeat the command; no event counts twice',
  },
  'flush-failed': {
    why: 'Files could not be committed',
    now: 'Exits with code 1; the files stay in the spool',
    todo: '`sluice status`',
  },
  'no-collector': { why: 'The server is a gateway only', now: one, todo: 'Use the address of a collector' },
  unsupported: { why: 'The server is older than the command', now: one, todo: '[Upgrade](../upgrade.md) the server' },
  undone: {
    why: 'Another person called `sluice drain --undo` meanwhile',
    now: 'Exits with code 1; the collector accepts events',
    todo: 'Repeat the command',
  },
  'no-directory': { why: 'The server is older than the command', now: one, todo: 'Add `--path`' },
  destination: {
    why: 'The settings do not lead to the place where the events belong',
    now: 'Exits with code 1; nothing was sent',
    todo: 'Give the settings of that collector: `--config`. [Drain](../drain.md)',
  },
  'bad-schema': {
    why: 'The schema has a mistake, or its type is unknown',
    now: one,
    todo: '[Contracts](contracts.md)',
  },
  'bean-not-found': { why: 'The server has no such bean', now: one, todo: '`sluice beans list`' },
  '…-not-found': {
    why: 'The bean has no such attribute or operation',
    now: one,
    todo: '`sluice beans list PATTERN`',
  },
  'spool-locked': {
    why: 'A server runs on the spool',
    now: one,
    todo: 'Stop it first; `spool list`, `verify` and `dump` also work while it runs',
  },
  'no-spool': { why: 'The directory is not a spool', now: one, todo: 'Give it with `--spool`' },
  'unknown-format': {
    why: 'A later version wrote the spool',
    now: one,
    todo: 'Use that version: [Upgrade and downgrade](../upgrade.md)',
  },
  http: {
    why: 'The server answered with an error that has no code',
    now: one,
    todo: 'Is this the management listener? See `--url`',
  },
  'rpc…': { why: 'The server answered with this code of JSON-RPC', now: one, todo: 'See the table of JSON-RPC' },
  'http-…': { why: 'The server answered with this status', now: one, todo: 'See the table of HTTP' },
}

/** Codes of beans, which JSON-RPC has in `data.code`. */
export const beanAdvice: Readonly<Record<string, Advice>> = {
  denied: { why: 'The token lacks the role', now: 'Changes nothing', todo: 'Use a token with `view` or `operate`' },
  'bean-not-found': { why: 'No bean has this name', now: 'Changes nothing', todo: '[Beans](beans.md)' },
  'attribute-not-found': { why: 'The bean lacks the attribute', now: 'Changes nothing', todo: '[Beans](beans.md)' },
  'operation-not-found': { why: 'The bean lacks the operation', now: 'Changes nothing', todo: '[Beans](beans.md)' },
  'read-only': { why: 'The attribute cannot be written', now: 'Changes nothing', todo: 'Look for an operation' },
  failed: { why: 'The operation failed; the message has the cause', now: 'As the message says', todo: 'Fix the cause' },
  'too-many': { why: 'The answer would be too large', now: 'Changes nothing', todo: 'Use a narrower pattern' },
  'bad-name': { why: 'The name of the bean is malformed', now: 'Changes nothing', todo: 'Write `sluice:type=…`' },
  'bad-value': { why: 'A value has the wrong type or range', now: 'Changes nothing', todo: '[Beans](beans.md)' },
  'bean-exists': { why: 'A fault in Sluice', now: 'Does not start', todo: 'Report it' },
}
