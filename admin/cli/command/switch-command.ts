import type { RpcClient } from '../../client/rpc-client.ts'
import { type BeanNames, beanNames } from '../server/collector-beans.ts'
import { rpcCommand } from './command.ts'

/** A command that runs one operation without arguments, says that it is done, and gives the state that follows. */
export const switchCommand = (row: {
  readonly summary: string
  readonly example: string
  readonly bean: keyof BeanNames
  readonly operation: string
  readonly done: string
  readonly readStatus: (rpc: RpcClient, names: BeanNames) => Promise<unknown>
}) =>
  rpcCommand({
    summary: row.summary,
    examples: [row.example],
    run: async ({ connect, log }) => {
      const rpc = await connect()
      const names = await beanNames(rpc)
      await rpc.exec(names[row.bean], row.operation)
      log(row.done)
      return row.readStatus(rpc, names)
    },
  })
