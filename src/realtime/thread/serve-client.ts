import type { MessagePort } from 'node:worker_threads'
import type { BrokerClient, BrokerConnection } from '../brokers/broker.ts'
import type { ClientCall, ClientReply } from './client-wire.ts'

/** Does what the main thread asks of a broker's client. What the client throws at another place ends the thread. */
export const serveClient = (port: MessagePort, client: BrokerClient): void => {
  const never = new AbortController()
  let connection: BrokerConnection | undefined
  const sending = new Set<Promise<void>>()
  const reply = (message: ClientReply): void => port.postMessage(message)

  const connect = async (): Promise<void> => {
    try {
      const opened = await client.connect(never.signal)
      connection = opened
      reply({ kind: 'opened' })
      const reason = await opened.lost
      // The outcomes of the messages under way first: it may be why.
      await Promise.all(sending)
      reply({ kind: 'lost', reason })
    } catch (error) {
      reply({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) })
    }
  }
  const send = async ({ id, topic, messages }: ClientCall & { readonly kind: 'send' }): Promise<void> => {
    const fates = await connection?.send(topic, messages)
    reply({ kind: 'sent', id, fates: fates ?? messages.map(() => 'again') })
  }
  const close = async (): Promise<void> => {
    await connection?.close()
    reply({ kind: 'closed' })
  }
  port.on('message', (call: ClientCall) => {
    if (call.kind === 'connect') void connect()
    else if (call.kind === 'send') {
      const sent = send(call).finally(() => sending.delete(sent))
      sending.add(sent)
    } else void close()
  })
}
