import { createPrivateKey, X509Certificate } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { toDateText, toSpan } from '../units.ts'
import { type Check, fail, ok, toReason, warn, within } from './check.ts'

const expiresSoonMs = 14 * 86_400_000

/** A listener: free, or taken by whom. */
export const checkPort = async (setting: string, host: string, port: number): Promise<Check> => {
  const name = `port ${port}`
  if (port === 0) return ok(setting, 'a free port is taken at the start')
  const problem = await bind(host, port)
  if (problem === undefined) return ok(name, `free on ${host} (${setting})`)
  if (problem !== 'EADDRINUSE')
    return fail(
      name,
      `cannot be used on ${host}: ${problem}`,
      `Set ${setting} to another port, or its host to an address of this machine.`,
    )
  return (await isSluice(host, port))
    ? ok(name, `a Sluice runs there (${setting})`)
    : fail(
        name,
        `taken by another process on ${host}`,
        `Set ${setting} to another port, or end what has it: \`ss -ltnp 'sport = :${port}'\`.`,
      )
}

const bind = (host: string, port: number): Promise<string | undefined> =>
  new Promise(done => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
    server.listen(port, host, () => server.close(() => done(undefined)))
  })

/** Collector and gateway have `/livez`, the management listener says where it is; Scribe cannot be asked. */
const isSluice = async (host: string, port: number): Promise<boolean> => {
  const local = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  const at = `http://${local.includes(':') ? `[${local}]` : local}:${port}`
  const answers = await Promise.all(
    ['/livez', '/openapi.json'].map(async path => {
      const response = await fetch(`${at}${path}`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined)
      return (await response?.text().catch(() => '')) ?? ''
    }),
  )
  return answers.some(text => /sluice/i.test(text.slice(0, 10_000)))
}

/** Whether a host has an address, and takes a connection: two checks, the second only after the first. */
export const checkReach = async (
  what: string,
  host: string,
  port: number,
  setting: string,
): Promise<readonly Check[]> => {
  try {
    const { address } = await within(lookup(host))
    try {
      await within(dial(host, port))
      return [ok(`${what}, name`, `${host} is ${address}`), ok(`${what}, TCP`, `${host}:${port} connects`)]
    } catch (error) {
      const advice = `Is it running, and does no firewall stand between? Its address is that of ${setting}.`
      return [
        ok(`${what}, name`, `${host} is ${address}`),
        fail(`${what}, TCP`, `${host}:${port}: ${toReason(error)}`, advice),
      ]
    }
  } catch (error) {
    return [
      fail(`${what}, name`, `${host} has no address: ${toReason(error)}`, `Mend the name in ${setting}, or in DNS.`),
    ]
  }
}

const dial = (host: string, port: number): Promise<void> =>
  new Promise((done, failed) => {
    const socket = connect({ host, port, timeout: 5_000 }, () => {
      socket.destroy()
      done()
    })
    socket.once('timeout', () => socket.destroy(new Error('no answer within 5 s')))
    socket.once('error', failed)
  })

/** A private key: readable, and that of the certificate; those behind it in the file have signed it, one after another. */
export const checkKey = async (setting: string, keyPath: string, certPath: string): Promise<readonly Check[]> => {
  const pem = await readFile(certPath, 'utf8').catch(() => '')
  // Whatever is wrong with the certificate itself was told.
  const chain = (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).flatMap(toCertificate)
  const [own] = chain
  try {
    const key = createPrivateKey(await readFile(keyPath))
    if (own === undefined) return [ok(setting, 'a private key')]
    if (!own.checkPrivateKey(key))
      return [
        fail(
          setting,
          `is not the key of the certificate in ${certPath}`,
          `Put the two of one pair into ${keyPath} and ${certPath}.`,
        ),
      ]
    const broken = chain.findIndex((one, i) => i > 0 && !chain[i - 1]?.checkIssued(one))
    return [
      ok(setting, 'is the key of the certificate'),
      ...(broken < 0
        ? []
        : [
            warn(
              `${setting}, chain`,
              `certificate ${broken + 1} of ${certPath} did not sign the one before it`,
              "Put the server's own first, and behind each the one that signed it.",
            ),
          ]),
    ]
  } catch (error) {
    return [
      fail(
        setting,
        `${keyPath}: ${toReason(error)}`,
        'Expected a PEM file with a private key, without a password, that this user may read.',
      ),
    ]
  }
}

const toCertificate = (pem: string): X509Certificate[] => {
  try {
    return [new X509Certificate(pem)]
  } catch {
    return []
  }
}

/** A certificate file: readable, and not expired. */
export const checkCertificate = async (setting: string, path: string, now = Date.now()): Promise<Check> => {
  try {
    const { validFromDate, validToDate, subject } = new X509Certificate(await readFile(path))
    const end = validToDate.getTime()
    const text = `${subject.replaceAll('\n', ', ')} until ${toDateText(end)}`
    if (end <= now)
      return fail(
        setting,
        `expired: ${text}`,
        `Put a new certificate into ${path}; a running server reads it by itself.`,
      )
    if (validFromDate.getTime() > now)
      return fail(
        setting,
        `not valid before ${toDateText(validFromDate.getTime())}`,
        'Is the clock of this machine right?',
      )
    if (end - now < expiresSoonMs)
      return warn(setting, `expires in ${toSpan((end - now) / 1_000)}: ${text}`, 'Renew it.')
    return ok(setting, text)
  } catch (error) {
    return fail(
      setting,
      `${path}: ${toReason(error)}`,
      `Expected a PEM file with a certificate that this user may read.`,
    )
  }
}
