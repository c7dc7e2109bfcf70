import { FileSystemError } from '../filesystem.ts'
import type { HadoopVerbs, WebHdfsOperation } from '../hadoop-verbs.ts'
import { mapJson } from '../map-json.ts'
import { parsePath } from '../path.ts'
import type { Operations } from './operations.ts'
import { maxPageBytes } from './transport/read-limited.ts'

/** Makes the `webHdfs` of one cluster. Its rights stay here: what would hand them out, or change whose they are, is refused. */
export const createWebHdfsPassOn =
  ({ client }: Operations): HadoopVerbs['webHdfs'] =>
  async ({ method, op, path, params, signal }) => {
    const name = parsePath(path)
    refuseRights(op, name)
    const json = await client.json({
      method,
      op,
      path: name,
      action: op,
      pairs: params.filter(([param]) => !reserved.has(param.toLowerCase())),
      // Changes are never sent twice: their effect is unknown here.
      repeatable: method === 'GET',
      maxBytes: maxPageBytes,
      signal,
    })
    return mapJson(json, withinJava)
  }

/** Parameters that say who calls, what is called, or where the answer comes from; Hadoop knows them in any case. */
const reserved = new Set(['op', 'user.name', 'doas', 'delegation', 'token', 'noredirect', 'namenoderpcaddress'])

/** Operations that are answered with bytes, or with what lets the bearer act as the server does: tokens, of blocks too. */
const keptHere = /DELEGATIONTOKEN|^(OPEN|CREATE|APPEND|GETFILECHECKSUM|GET_BLOCK_LOCATIONS)$/

const refuseRights = (op: WebHdfsOperation['op'], path: string): void => {
  if (/^[A-Z_]+$/.test(op) && !keptHere.test(op)) return
  const reason = 'its answer would let the bearer act as this server does'
  throw new FileSystemError('unsupported', path, `Cannot pass on ${op}: ${reason}`)
}

/** The largest number of Java, which means no quota, becomes too large for Java when it is rounded. */
const withinJava = (value: unknown): unknown => (typeof value === 'number' && value >= 2 ** 63 ? largestBelow : value)

/** The next number below 2^63 that a double can hold. */
const largestBelow = 2 ** 63 - 1_024
