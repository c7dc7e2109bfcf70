import { FormatError } from '../../../errors.ts'
import { FileSystemError } from '../../filesystem.ts'
import type { HadoopRpc, RpcRequest } from '../rpc/client.ts'
import type { Method } from './methods.ts'
import { isRepeatable, maxRetriesOf } from './repeats.ts'

/** The interface of Java that clients speak to name nodes by. */
export const clientProtocol = 'org.apache.hadoop.hdfs.protocol.ClientProtocol'

/** What a call is about: `Cannot <action> "<path>"`. */
export type CallSubject = Omit<RpcRequest, 'methodName' | 'request' | 'repeatable'>

/** The name nodes of one cluster, called by one identity. */
export type NameNode = {
  /** Rejects with `FileSystemError`. */
  call<Request, Response>(method: Method<Request, Response>, request: Request, options: CallSubject): Promise<Response>
  close(): void
}

export const createNameNode = (client: HadoopRpc): NameNode => ({
  async call({ name, Request, Response }, request, options) {
    const { maxRetries = maxRetriesOf(name), ...about } = options
    const call = { ...about, maxRetries, methodName: name, repeatable: isRepeatable(name) }
    const response = await client.call({ ...call, request: Request.encode(request) })
    try {
      return Response.decode(response)
    } catch (cause) {
      if (!(cause instanceof FormatError)) throw cause
      const message = `Cannot ${options.action} "${options.path}": the name node broke the protocol: ${cause.message}`
      throw new FileSystemError('unavailable', options.path, message, { cause })
    }
  },
  close: () => client.close(),
})
