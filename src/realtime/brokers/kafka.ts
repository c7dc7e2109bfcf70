import type { Producer } from '@platformatic/kafka'
import { type BrokerClient, type BrokerConnection, type BrokerOptions, connectTimeoutMs, type Fate } from './broker.ts'
import { createKafkaSend } from './kafka-send.ts'
import { toReason } from './reason.ts'

/** The client library takes a third of a second to load, which is paid where Kafka is configured. */
type KafkaLibrary = typeof import('@platformatic/kafka')
type KafkaProducer = Producer<string, string, string, string>

/** How long one request may take. */
const requestTimeoutMs = 10_000
/** Metadata of a topic that is being made is asked for this often. */
const retries = 8
const retryDelayMs = 250

/**
 * A Kafka cluster, found at `kafka://[user:password@]host[:9092]`. The rest of the address says more:
 * `?bootstrap=host:port,…` names further nodes, `?tls=true` encrypts, `?sasl=scram-sha-256` (or `scram-sha-512`, else
 * `plain`) says how the user logs in.
 * @throws RangeError for an option that Kafka does not have
 */
export const createKafkaClient = async (options: BrokerOptions): Promise<BrokerClient> => {
  const login = toLogin(options.url)
  const library = await import('@platformatic/kafka')
  return { connect: signal => connect(library, options, login, signal) }
}

const connect = async (
  library: KafkaLibrary,
  { url, persistent }: BrokerOptions,
  login: object,
  signal: AbortSignal,
): Promise<BrokerConnection> => {
  const producer: KafkaProducer = new library.Producer({
    clientId: 'sluice',
    bootstrapBrokers: toNodes(url),
    serializers: library.stringSerializers,
    acks: persistent ? library.ProduceAcks.ALL : library.ProduceAcks.LEADER,
    autocreateTopics: true,
    connectTimeout: connectTimeoutMs,
    timeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    retries,
    retryDelay: retryDelayMs,
    ...login,
  })
  const { promise: lost, resolve: setLost } = Promise.withResolvers<string>()
  /** The outcome for messages under way; undefined while there is a connection. */
  let lostFate: Fate | undefined
  const lose = (reason: string, fate: Fate = 'again'): void => {
    if (lostFate !== undefined) return
    lostFate = fate
    signal.removeEventListener('abort', onAbort)
    setLost(reason)
    void producer.close(true).catch(() => {})
  }
  const onAbort = (): void => lose('closed')
  signal.addEventListener('abort', onAbort)
  // Fails at once where a send would retry: the attempts are the link's.
  const probe = (): Promise<unknown> => producer.metadata({ topics: [], forceUpdate: true, retries: 0 })
  try {
    await probe()
  } catch (error) {
    lose('closed')
    throw new Error(toReason(error), { cause: error })
  }
  let sending = 0
  producer.on('client:broker:disconnect', () => {
    if (sending > 0) lose('the broker closed the connection', 'cut')
    // Brokers hang up on clients that have nothing to say for some minutes.
    else probe().catch(error => lose(toReason(error)))
  })
  const send = createKafkaSend(messages => producer.send({ messages: [...messages] }), toPartition(library))
  return {
    lost,
    send: async (topic, messages) => {
      sending++
      const fates = lostFate === undefined ? await Promise.race([send(topic, messages), lost]) : ''
      sending--
      // When the connection ended first it is not known what the broker has of them.
      const known = typeof fates === 'string' ? messages.map((): Fate => lostFate ?? 'again') : fates
      if (known.includes('again')) lose('the broker does not answer')
      return known
    },
    close: async () => lose('closed'),
  }
}

/**
 * Java's default: murmur2 of the key's UTF-8, without its sign. So records of one key are in one partition, whichever
 * client sends them; the default of this library is another.
 */
export const toPartition =
  ({ compatibilityPartitioner }: Pick<KafkaLibrary, 'compatibilityPartitioner'>) =>
  (key: string): number =>
    compatibilityPartitioner({ topic: '', value: '' }, Buffer.from(key))

const toNodes = ({ host, searchParams }: URL): string[] =>
  [host, ...(searchParams.get('bootstrap') ?? '').split(',')]
    .map(node => node.trim())
    .filter(node => node !== '')
    .map(node => (/:\d+$/.test(node) ? node : `${node}:9092`))

const mechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const

const toLogin = ({ hostname, username, password, searchParams }: URL) => {
  const name = (searchParams.get('sasl') ?? 'plain').toUpperCase()
  const mechanism = mechanisms.find(one => one === name)
  if (!mechanism) throw new RangeError(`realtime.broker has sasl=${name}; expected ${mechanisms.join(', ')}`)
  return {
    ...(searchParams.get('tls') === 'true' ? { tls: {}, tlsServerName: !/^[\d.]+$|:/.test(hostname) } : {}),
    ...(username === ''
      ? {}
      : { sasl: { mechanism, username: decodeURIComponent(username), password: decodeURIComponent(password) } }),
  }
}
