import type { Params } from '../../contract/operations.ts'
import type { DelegationTokens } from '../../delegation/delegation-tokens.ts'
import type { Call } from '../../http/call/call.ts'
import type { Tell } from '../audit.ts'
import type { GatewayContext } from '../context.ts'
import type { Reads } from '../reads.ts'

/** The context of the WebHDFS operations. */
export type WebHdfsContext = GatewayContext & {
  /** The mount point that serves a path. */
  readonly mountOf: (path: string) => string
  /** All mount points, `/` among them. */
  readonly mountPoints: readonly string[]
  readonly walk: Reads['walkWebHdfs']
  readonly delegationTokens: DelegationTokens
  /** The name here of a principal of Kerberos; undefined for a stranger, and for what is a name already. */
  readonly nameOf: (principal: string) => string | undefined
  /** Hears what a write is about. */
  readonly tell: Tell
}

/** A call of one of the four operations of the contract, by their methods. */
export type WebHdfsCall<Id extends 'webHdfsGet' | 'webHdfsPut' | 'webHdfsPost' | 'webHdfsDelete'> = Call<Params<Id>>

/** Answers the calls with one `op`. */
export type WebHdfsHandler<Id extends 'webHdfsGet' | 'webHdfsPut' | 'webHdfsPost' | 'webHdfsDelete'> = (
  context: WebHdfsContext,
  call: WebHdfsCall<Id>,
) => Response | Promise<Response>
