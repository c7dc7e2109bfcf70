import { createPrivateKey, X509Certificate } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { toDateText, toTimeSpan } from '../print/units.ts'
import { askLocal, type ListenerAddress } from './ask-local.ts'
import { type DoctorCheck, fail, ok, toCheckReason, warn, within } from './check.ts'

const expiresSoonMs = 14 * 86_400_000

/** A listener: free, or taken by whom. */
export type PortCheck = { readonly check: DoctorCheck; readonly isSluice: boolean }

/**
 * Whether a listener may have its port.
 * @param isSluice whether what has it already is a server of ours
 */
export const checkPort = async (
  setting: string,
  { host, port }: Omit<ListenerAddress, 'isTls'>,
  isSluice: () => Promise<boolean>,
): Promise<PortCheck> => {
  const name = `port ${port}`
  const not = (check: DoctorCheck): PortCheck => ({ check, isSluice: false })
  if (port === 0) return not(ok(setting, 'a free port is taken at the start'))
  const problem = await bind(host, port)
  if (problem === undefined) return not(ok(name, `free on ${host} (${setting})`))
  if (problem !== 'EADDRINUSE')
    return not(
      fail(
        name,
        `cannot be used on ${host}: ${problem}`,
        `Set ${setting} to another port, or its host to an address of this machine.`,
      ),
    )
  if (await isSluice()) return { check: ok(name, `a Sluice runs there (${setting})`), isSluice: true }
  return not(
    fail(
      name,
      `taken by another process on ${host}`,
      `Set ${setting} to another port, or end what has it: \`ss -ltnp 'sport = :${port}'\`.`,
    ),
  )
}

const bind = (host: string, port: number): Promise<string | undefined> =>
  new Promise(done => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
    server.listen(port, host, () => server.close(() => done(undefined)))
  })

/** Each HTTP listener of a server has its contract there. */
export const isSluiceHttp = async (address: ListenerAddress): Promise<boolean> =>
  /sluice/i.test((await askLocal(address, '/openapi.json'))?.text.slice(0, 10_000) ?? '')

/** Whether a host has an address, and takes a connection: two checks, the second only after the first. */
export const checkReach = async (
  what: string,
  host: string,
  port: number,
  setting: string,
): Promise<readonly DoctorCheck[]> => {
  try {
    const { address } = await within(lookup(host))
    try {
      await within(dial(host, port))
      return [ok(`${what}, name`, `${host} is ${address}`), ok(`${what}, TCP`, `${host}:${port} connects`)]
    } catch (error) {
      const advice = `Check that it runs and that no firewall blocks it. The address is from ${setting}.`
      return [
        ok(`${what}, name`, `${host} is ${address}`),
        fail(`${what}, TCP`, `${host}:${port}: ${toCheckReason(error)}`, advice),
      ]
    }
  } catch (error) {
    return [
      fail(
        `${what}, name`,
        `${host} has no address: ${toCheckReason(error)}`,
        `Fix the name in ${setting}, or in DNS.`,
      ),
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

/**
 * A private key: readable, and that of the certificate; those after it in the file have signed it, one after another.
 */
export const checkKey = async (setting: string, keyPath: string, certPath: string): Promise<readonly DoctorCheck[]> => {
  const pem = await readFile(certPath, 'utf8').catch(() => '')
  // Errors of the certificate itself were reported already.
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
        `${keyPath}: ${toCheckReason(error)}`,
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
export const checkCertificate = async (setting: string, path: string, now = Date.now()): Promise<DoctorCheck> => {
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
      return warn(setting, `expires in ${toTimeSpan((end - now) / 1_000)}: ${text}`, 'Renew it.')
    return ok(setting, text)
  } catch (error) {
    return fail(
      setting,
      `${path}: ${toCheckReason(error)}`,
      `Expected a PEM file with a certificate that this user may read.`,
    )
  }
}
