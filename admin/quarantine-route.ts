import { quoteText } from '../src/beans/bean-error.ts'
import { SluiceError } from '../src/errors.ts'
import { toDownloadHeaders } from '../src/http/answers/security-headers.ts'
import type { Audit } from './audit.ts'
import { quarantineName } from './catalog/quarantine.ts'
import type { Product } from './protocol.ts'
import type { AdminCall } from './routes.ts'

/** Opens a piece that the spool has set aside; undefined for an unknown name. */
export type OpenSetAside = (
  name: string,
) => Promise<{ readonly bytes: number; readonly body: AsyncIterable<Uint8Array> } | undefined>

/** The dependencies of the downloads. */
export type QuarantineRouteOptions = {
  /** Undefined where no collector runs in this process. */
  readonly open: OpenSetAside | undefined
  readonly audit: Audit
  readonly product: Pick<Product, 'vendor'>
  readonly now: () => number
}

/** Answers `GET /quarantine/{name}`: the bytes of one piece as they are read, and a line in the audit. */
export const createQuarantineRoute =
  ({ open, audit, product, now }: QuarantineRouteOptions) =>
  async (call: AdminCall): Promise<Response> => {
    if (!open) throw new SluiceError('not-found', 'No collector runs in this process')
    const name = toName(call.target)
    const found = await open(name)
    if (!found) throw new SluiceError('not-found', `${quoteText(name)} is not in quarantine`)
    const headers = {
      ...toDownloadHeaders(name),
      'content-type': 'application/octet-stream',
      'content-length': String(found.bytes),
      'cache-control': 'no-store',
    }
    if (call.method === 'HEAD') return new Response(null, { headers })
    audit.record({
      at: now(),
      who: call.caller.identity.name,
      from: call.caller.from,
      action: 'read',
      mbean: quarantineName(product.vendor),
      member: 'download',
      arguments: JSON.stringify([name]),
      outcome: 'ok',
      result: `${found.bytes} bytes`,
    })
    return new Response(ReadableStream.from(found.body), { headers })
  }

/** @throws SluiceError `bad-parameter` */
const toName = (target: string): string => {
  const text = target.slice('/quarantine/'.length).split('?', 1).join('')
  try {
    return decodeURIComponent(text)
  } catch (cause) {
    throw new SluiceError('bad-parameter', 'name: expected a name, escaped as a part of a path', { cause })
  }
}
