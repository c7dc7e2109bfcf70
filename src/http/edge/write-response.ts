import type { IncomingMessage, ServerResponse } from 'node:http'
import type { EdgeLimits } from '../limits.ts'
import { drainBody, isBodyPending, needsClose } from './linger.ts'

/**
 * An answer that precedes the end of its request's body: rewritten so that the client sees it. The returned response
 * ends only when the rest of the body has arrived or a limit is reached, and closes the connection.
 */
export const toLingering = async (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  response: Response,
  limits: EdgeLimits,
): Promise<Response> => {
  if (!needsClose(incoming, response.status)) {
    outgoing.once('finish', () => {
      void drainBody(incoming, limits.lingerBytes, limits.lingerMs).then(() => {
        if (!incoming.complete) incoming.socket.destroy()
      })
    })
    return response
  }
  outgoing.shouldKeepAlive = false
  if (response.status < 400 || response.body === null) return response
  const content = await response.bytes()
  const headers = new Headers(response.headers)
  headers.set('content-length', String(content.length))
  const body = new ReadableStream<Uint8Array>(
    {
      start: controller => controller.enqueue(content),
      async pull(controller) {
        await drainBody(incoming, limits.lingerBytes, limits.lingerMs)
        controller.close()
      },
    },
    { highWaterMark: 1 },
  )
  return new Response(body, { status: response.status, headers })
}

/** Writes a refusal that no application has seen; it is small, and held whole so that its length is known. */
export const writeResponse = async (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  response: Response,
  limits: EdgeLimits,
): Promise<void> => {
  const content = await response.bytes()
  const head = [...response.headers, ['content-length', String(content.length)]].flat()
  const isPending = isBodyPending(incoming)
  const closes = isPending && needsClose(incoming, response.status)
  if (closes) outgoing.shouldKeepAlive = false
  outgoing.writeHead(response.status, head)
  if (!isPending) {
    outgoing.end(content)
    return
  }
  if (closes && content.length > 0) outgoing.write(content)
  else outgoing.end(content)
  await drainBody(incoming, limits.lingerBytes, limits.lingerMs)
  if (closes) outgoing.end()
  else if (!incoming.complete) incoming.socket.destroy()
}
