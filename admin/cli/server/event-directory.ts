import { isRecord } from '../../../src/is-record.ts'
import type { RpcClient } from '../../client/rpc-client.ts'
import { CliError } from '../command/failure.ts'

/** Where the server puts the files of all event types. @throws CliError of a server that does not say it */
export const readEventDirectory = async (rpc: RpcClient): Promise<string> => {
  const { vendor } = await rpc.version()
  const { value } = await rpc.read(`${vendor}.metrics:name=Settings`, 'Settings')
  const directory = isRecord(value) ? value['collector.event-output-directory'] : undefined
  if (typeof directory === 'string') return directory === '/' ? '' : directory
  throw new CliError('The server does not report its event directory', {
    code: 'no-directory',
    hint: 'Give it with --path.',
  })
}
