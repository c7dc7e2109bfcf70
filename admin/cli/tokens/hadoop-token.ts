import { lookup } from 'node:dns/promises'
import type { Address } from '../command/address.ts'
import { CliError, exitCodes, usageError } from '../command/failure.ts'

/**
 * The token of an address as one of Hadoop, for the server there and no other. Hadoop knows a server by its IP address.
 * @throws CliError `usage` without a token, `unreachable` where the host has no address
 */
export const toHadoopToken = async ({
  gatewayUrl,
  token,
}: Pick<Address, 'gatewayUrl' | 'token'>): Promise<{
  readonly token: string
  readonly kind: string
  readonly service: string
}> => {
  if (token === undefined) throw usageError('No token given.', 'Give one with SLUICE_TOKEN, --token-file or --profile.')
  const { protocol, hostname, port } = new URL(gatewayUrl)
  const isSecure = protocol === 'https:'
  const { address } = await lookup(hostname.replace(/^\[(.*)\]$/, '$1')).catch((cause: unknown) => {
    throw new CliError(`The host name ${hostname} has no address`, {
      code: 'unreachable',
      exitCode: exitCodes.unreachable,
      cause,
    })
  })
  const kind = isSecure ? 'SWEBHDFS delegation' : 'WEBHDFS delegation'
  const service = `${address}:${port || (isSecure ? 443 : 80)}`
  const { encodeHadoopToken } = await import('../../../src/formats/hadoop-token.ts')
  const [identifier, password] = [new Uint8Array(), new TextEncoder().encode(token)]
  return { token: encodeHadoopToken({ identifier, password, kind, service }), kind, service }
}
