import { JSONRPCErrorCode } from 'json-rpc-2.0'
import { exitCodes } from '../../../admin/cli/command/failure.ts'
import { applicationErrors } from '../../../admin/rpc/errors.ts'
import { errorTable } from '../../../src/errors.ts'
import { toTable } from '../markdown-table.ts'

/** Codes of answers over HTTP, by their status. */
export const httpErrors = (): string =>
  toTable(
    ['Code', 'Status', 'Meaning'],
    Object.entries(errorTable).map(([code, { status, title }]) => [`\`${code}\``, String(status), title]),
  )

/** Codes of JSON-RPC: its own, then those of the application with their names in `data.code`. */
export const rpcErrors = (): string =>
  toTable(
    ['Code', '`data.code`', 'Meaning'],
    [
      ...Object.entries(JSONRPCErrorCode)
        .filter(([, code]) => typeof code === 'number')
        .map(([name, code]) => [String(code), '', name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')]),
      ...Object.entries(applicationErrors).map(([name, { code, message }]) => [String(code), `\`${name}\``, message]),
    ],
  )

/** How `sluice` ends. */
export const exitCodeTable = (): string =>
  toTable(
    ['Exit code', 'Meaning'],
    Object.entries(exitCodes).map(([name, code]) => [String(code), meanings[name as keyof typeof exitCodes]]),
  )

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: 'done',
  failed: 'it was tried and failed, or what was asked for is not so; the message says what',
  usage: 'the command line, or a setting, cannot be used: nothing was tried',
  unreachable: 'nothing answers at the address',
}
