import { BeanError } from '../../src/beans/bean-error.ts'
import type { BeanAccess } from '../access.ts'
import type { ProtocolParts } from '../protocol.ts'
import type { RequestTurns } from '../turns.ts'
import { isUnexpectedJolokia, JolokiaError, toErrorMembers } from './errors.ts'
import { listMBeans } from './list.ts'
import { extract } from './path.ts'
import type { JolokiaRequest, ParsedRequest, RequestType } from './request.ts'

/** The context of a request. */
export type JolokiaContext = Omit<ProtocolParts, 'open'> & { readonly beans: BeanAccess; readonly turns: RequestTurns }

/** Carries out one request, and gives the object that answers it, whatever happens. */
export const answerRequest = async (
  parse: () => ParsedRequest,
  context: JolokiaContext,
): Promise<Readonly<Record<string, unknown>>> => {
  /** Seconds, as the protocol has them. */
  const timestamp = Math.floor(context.now() / 1_000)
  let request: Readonly<Record<string, unknown>> = {}
  try {
    const parsed = parse()
    if (parsed.request.options.includeRequest) request = { request: parsed.echo }
    const value = await commands[parsed.request.type](parsed.request, context)
    return { ...request, value: value ?? null, timestamp, status: 200 }
  } catch (error) {
    if (isUnexpectedJolokia(error)) context.onUnexpected(error)
    return { ...request, ...toErrorMembers(error), timestamp }
  }
}

/** Version of the protocol that is spoken. */
const protocol = '8.0'

/** By type of request: what gives the `value` of the answer. */
const commands: Readonly<Record<RequestType, (request: JolokiaRequest, context: JolokiaContext) => unknown>> = {
  version: (_, { product: { version, vendor } }) => ({
    agent: version,
    protocol,
    config: { agentType: 'sluice', canonicalNaming: 'true', includeStackTrace: 'false', maxDepth: '0' },
    info: { product: 'sluice', vendor, version },
  }),
  list: (request, { beans, turns }) => listMBeans(request, beans, turns),
  search: async ({ mbean = '' }, { beans }) => (await beans.find(mbean)).map(({ name }) => name.canonical),
  read: async ({ mbean = '', attribute, path = [], options }, { beans }) => {
    const onError = options.ignoreErrors ? (error: unknown) => `ERROR: ${toErrorMembers(error).error}` : undefined
    const value = await beans.read(mbean, attribute, { onError })
    if (value instanceof Map && value.size === 0)
      throw new BeanError('bean-not-found', `No bean with such attributes matches ${mbean}`)
    return extract(value, path)
  },
  write: ({ mbean = '', attribute, path, value }, { beans }) => {
    if (typeof attribute !== 'string') throw JolokiaError.illegal('attribute: expected one name')
    if (path !== undefined) throw JolokiaError.illegal('path: attributes are written as a whole')
    return beans.write(mbean, attribute, value)
  },
  // A signature after the name, as in `addPattern(java.lang.String)`, is ignored.
  exec: ({ mbean = '', operation = '', arguments: args = [] }, { beans }) =>
    beans.exec(mbean, operation.replace(/\([^()]*\)$/, ''), args),
}
