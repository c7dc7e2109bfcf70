/** AMQP 1.0 (OASIS, 2012), for ActiveMQ Classic and Artemis, RabbitMQ 4, Qpid and others. */
import { connect as connectTcp, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import rhea from 'rhea'
import { startTimeout } from '../../runtime/timers.ts'
import { type AmqpSender, createAmqpSender } from './amqp-sender.ts'
import { type BrokerClient, type BrokerConnection, type BrokerOptions, connectTimeoutMs, type Fate } from './broker.ts'
import { toReason } from './reason.ts'

/** A peer that says nothing for this long is gone. */
const idleTimeoutMs = 30_000
/** How long the broker may take to say goodbye. */
const closeTimeoutMs = 500

/** A broker of AMQP 1.0 at `amqp://[user:password@]host[:5672]`, or `amqps://…[:5671]`. */
export const createAmqpClient = (options: BrokerOptions): BrokerClient => ({
  connect: signal => connect(options, signal),
})

const connect = async (options: BrokerOptions, signal: AbortSignal): Promise<BrokerConnection> => {
  signal.throwIfAborted()
  const { promise: opened, resolve, reject } = Promise.withResolvers<BrokerConnection>()
  const { promise: lost, resolve: setLost } = Promise.withResolvers<string>()
  const senders = new Map<string, AmqpSender>()
  const socket = openSocket(options.url)
  // A container of its own, so that its events are those of this connection.
  const container = rhea.create_container()

  const lose = (reason: string, fate: Fate = 'cut'): void => {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    // With an error, so that the library hears of it and ends its heartbeat.
    socket.destroy(new Error(reason))
    reject(new Error(reason))
    setLost(reason)
    for (const sender of senders.values()) sender.lose(fate)
    senders.clear()
  }
  const onAbort = (): void => lose('closed', 'again')
  const timer = startTimeout(() => lose(`no answer in ${connectTimeoutMs} ms`), connectTimeoutMs)
  signal.addEventListener('abort', onAbort)

  container.on('connection_open', () => {
    clearTimeout(timer)
    resolve({
      lost,
      send: (topic, messages) => {
        let sender = senders.get(topic)
        if (!sender) {
          sender = createAmqpSender(connection, topic, options, () => senders.delete(topic))
          senders.set(topic, sender)
        }
        return sender.send(messages)
      },
      close: async () => {
        connection.close()
        await Promise.race([lost, sleep(closeTimeoutMs)])
        lose('closed', 'again')
      },
    })
  })
  const onError = (error: unknown): void => lose(toReason(error, 'the connection was lost'))
  container.on('connection_error', context => onError(context.error ?? context.connection?.error))
  container.on('connection_close', () => lose('the broker closed the connection'))
  container.on('session_error', context => onError(context.session?.error))
  container.on('session_close', () => lose('the broker closed the session'))
  container.on('disconnected', context => onError(context.error))
  container.on('protocol_error', onError)
  container.on('error', onError)
  const connection = container.connect({
    ...toCredentials(options.url),
    host: options.url.hostname,
    port: toPort(options.url),
    connection_details: () => ({
      host: options.url.hostname,
      port: toPort(options.url),
      connect: (_port: unknown, _host: unknown, _options: unknown, onConnect: () => void) => {
        socket.once(options.url.protocol === 'amqps:' ? 'secureConnect' : 'connect', onConnect)
        return socket
      },
    }),
    idle_time_out: idleTimeoutMs,
    reconnect: false,
  })
  return opened
}

const openSocket = (url: URL): Socket => {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const port = toPort(url)
  return url.protocol === 'amqps:'
    ? connectTls({ host, port, ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }) })
    : connectTcp({ host, port, noDelay: true })
}

const toPort = (url: URL): number => Number(url.port) || (url.protocol === 'amqps:' ? 5_671 : 5_672)

/** Without a user SASL ANONYMOUS, which brokers that want no SASL at all take, too. */
const toCredentials = ({ username, password }: URL): { readonly username: string; readonly password?: string } => ({
  username: decodeURIComponent(username) || 'anonymous',
  ...(password === '' ? {} : { password: decodeURIComponent(password) }),
})
