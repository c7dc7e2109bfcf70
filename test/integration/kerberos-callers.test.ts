/** Callers with real tickets of a real KDC, by curl, on every interface that knows them. */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Kdc, startKdc } from '../../scripts/kerberos/kdc.ts'
import { getTicket, type TicketEnv } from '../../scripts/kerberos/ticket.ts'
import { describeKerberos } from '../suites/kerberos.ts'
import { createSluice, type Sluice } from '../suites/sluice-process.ts'

const run = promisify(execFile)
const rules = [
  'principal: "*@SLUICE.TEST" roles: read',
  'principal: "*/ops@SLUICE.TEST" roles: view,operate,write name: "*.ops"',
].join('\n')

type Answer = { readonly status: number; readonly headers: string; readonly body: string }

await describeKerberos('callers with tickets', () => {
  let kdc: Kdc
  let sluice: Sluice
  const lines: string[] = []
  const tickets = new Map<string, TicketEnv>()
  const keytab = (): string => join(kdc.directory, 'server.keytab')
  const ticketOf = async (principal: string): Promise<TicketEnv> => {
    const file = principal.replaceAll('/', '.')
    const own = join(kdc.directory, `${file}.keytab`)
    await kdc.addKeytab(own, principal)
    return getTicket({ krb5Config: kdc.krb5Config, principal, keytab: own, cache: join(kdc.directory, file) })
  }

  beforeAll(async () => {
    kdc = await startKdc()
    await kdc.addKeytab(keytab(), 'HTTP/localhost', 'sluice/localhost')
    for (const name of ['alice', 'ann/ops', 'hdfs/nn']) tickets.set(name, await ticketOf(name))
    const tokens = join(kdc.directory, 'tokens')
    await writeFile(tokens, rules)
    sluice = await createSluice({
      settings: [`auth.tokens=${tokens}`, `auth.kerberos.keytab=${keytab()}`, 'collector.auth=token'],
      env: { KRB5_CONFIG: kdc.krb5Config },
      onLine: line => void lines.push(line),
    })
    await sluice.start()
  })
  afterAll(async () => {
    await sluice?.close()
    await kdc?.stop()
  })

  const urlOf = (target: string, listener = 'server'): string =>
    `${(sluice.urls()?.[listener] ?? '').replace('127.0.0.1', 'localhost')}${target}`
  const curl = async (who: string | undefined, ...args: readonly string[]): Promise<Answer> => {
    const none = { KRB5_CONFIG: kdc.krb5Config, KRB5CCNAME: 'MEMORY:none' }
    const env = { ...process.env, ...(who === undefined ? none : tickets.get(who)) }
    const { stdout } = await run('curl', ['-sSi', '--negotiate', '-u', ':', ...args], { env })
    // Of the answers to both halves of a conversation the last counts.
    const at = stdout.lastIndexOf('HTTP/1.1 ')
    const [headers = '', ...body] = stdout.slice(at).split('\r\n\r\n')
    return { status: Number(headers.slice(9, 12)), headers, body: body.join('\r\n\r\n') }
  }
  const html = ['-H', 'accept: text/html'] as const
  const json = ['-H', 'content-type: application/json'] as const
  const rpc = [...json, '-d', '{"jsonrpc":"2.0","id":1,"method":"version"}'] as const

  /** Each interface with whom it lets in, and whom it knows but does not let in. */
  const interfaces = (): readonly (readonly [readonly string[], string, string])[] => [
    [[...html, urlOf('/rest/1.0/hdfs?path=/')], 'alice', 'ann/ops'],
    [[urlOf('/rest/1.0/json?path=/')], 'alice', 'ann/ops'],
    [[urlOf('/webhdfs/v1/?op=LISTSTATUS')], 'alice', 'ann/ops'],
    [['-X', 'PUT', urlOf('/webhdfs/v1/made?op=MKDIRS')], 'ann/ops', 'alice'],
    [[...rpc, urlOf('/rpc', 'admin')], 'ann/ops', 'alice'],
    [[urlOf('/jolokia/version', 'admin')], 'ann/ops', 'alice'],
    [[urlOf('/metrics', 'admin')], 'ann/ops', 'alice'],
  ]

  test('a page shows lines that its reader can type with his ticket', async () => {
    const { body } = await curl('alice', ...html, urlOf('/rest/1.0/hdfs?path=/'))
    const [, line = ''] = /<code>(curl [^<]*)<\/code>/.exec(body) ?? []
    const env = { ...process.env, ...tickets.get('alice') }
    const { stdout } = await run('sh', ['-c', line.replaceAll('&#39;', "'").replaceAll('&amp;', '&')], { env })
    expect(JSON.parse(stdout)).toHaveProperty('FileStatuses')
  })

  test('S7: every interface lets in by ticket whom a rule gives the role, and proves itself', async () => {
    for (const [args, may, mayNot] of interfaces()) {
      const allowed = await curl(may, ...args)
      expect([args.at(-1), allowed.status, allowed.body.slice(0, allowed.status === 200 ? 0 : 500)]).toEqual([
        args.at(-1),
        200,
        '',
      ])
      expect(allowed.headers).toMatch(/^www-authenticate: Negotiate [A-Za-z0-9+/=]{50,}\r?$/im)
      expect((await curl(mayNot, ...args)).status, `${mayNot} ${args.at(-1)}`).toBe(403)
    }
  })

  test('S7: nobody comes in without a ticket, or without a rule for it', async () => {
    for (const [args] of interfaces()) {
      const isPage = args.includes('accept: text/html')
      const nobody = await curl(undefined, ...args)
      expect([args.at(-1), nobody.status]).toEqual([args.at(-1), isPage ? 303 : 401])
      if (!isPage) expect(nobody.headers).toMatch(/^www-authenticate: Negotiate\r?$/im)
    }
    const stranger = await curl('hdfs/nn', urlOf('/rest/1.0/json?path=/'))
    expect([stranger.status, stranger.body]).toEqual([
      401,
      expect.stringContaining('No rule of the file of auth.tokens is for the principal hdfs/nn@SLUICE.TEST'),
    ])
  })

  test('a ticket does not count where pages of any origin may call', async () => {
    const event = [...json, '-d', '{"eventName":"Hello","payload":{}}', urlOf('/rest/1.0/event')]
    const answer = await curl('ann/ops', ...event)
    expect([answer.status, /www-authenticate: (.*)/i.exec(answer.headers)?.[1]]).toEqual([401, 'Bearer realm="sluice"'])
  })

  test('a browser is led to the login, has a session by its ticket, and needs no other one', async () => {
    const jar = join(kdc.directory, 'jar')
    const page = urlOf('/rest/1.0/hdfs?path=/')
    // A browser sends a ticket where it is asked for one.
    const browser = [...html, '--anyauth', '-L', '-c', jar, '-b', jar]
    const first = await curl('alice', ...browser, page)
    expect([first.status, first.body]).toEqual([200, expect.stringContaining('Logged in as alice')])
    const second = await curl(undefined, ...browser, page)
    expect([second.status, second.headers]).toEqual([200, expect.not.stringContaining('Negotiate')])
    expect((await readFile(jar, 'utf8')).match(/^#HttpOnly_localhost.*sluice-session/m)).not.toBeNull()
    // Without a ticket it sees the form.
    const form = await curl(undefined, ...html, '--anyauth', '-L', page)
    expect([form.status, form.body]).toEqual([401, expect.stringContaining('<label for="token">')])
  })

  test('the console knows a browser by its ticket, and remembers it', async () => {
    const answer = await curl('ann/ops', urlOf('/console/session', 'admin'))
    expect(JSON.parse(answer.body)).toMatchObject({ name: 'ann.ops', canView: true, canOperate: true })
    expect(answer.headers).toMatch(/^set-cookie: sluice-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict/im)
    const nobody = await curl(undefined, urlOf('/console/session', 'admin'))
    expect([nobody.status, JSON.parse(nobody.body)]).toMatchObject([401, { name: 'nobody', canView: false }])
  })

  test('OPTIONS is a login to Hadoop: 401, then 200 with a cookie in place of the ticket', async () => {
    const target = urlOf('/webhdfs/v1/?op=GETHOMEDIRECTORY')
    expect((await curl(undefined, '-X', 'OPTIONS', target)).status).toBe(401)
    const { status, headers } = await curl('alice', '-X', 'OPTIONS', target)
    const [, cookie = ''] =
      /set-cookie: (hadoop\.auth="u=alice&p=alice@SLUICE\.TEST&t=kerberos&e=\d{13}&s=[\w-]{43}")/i.exec(headers) ?? []
    expect([status, cookie]).toEqual([200, expect.stringContaining('hadoop.auth')])
    const home = await curl(undefined, '-H', `cookie: ${cookie}`, target)
    expect([home.status, home.body]).toEqual([200, '{"Path":"/user/alice"}'])
  })

  /** A first message of the package, as a client of this kind makes it. */
  const messageFor = async (service: string, mechanism: string, flags: number): Promise<string> => {
    const script = `const k = require('kerberos')
k.initializeClient(${JSON.stringify(service)}, { mechOID: k[${JSON.stringify(mechanism)}], flags: ${flags} })
  .then(client => client.step('')).then(text => process.stdout.write(text))`
    const env = { ...process.env, ...tickets.get('alice') }
    return (await run(process.execPath, ['-e', script], { env })).stdout
  }
  const show = async (message: string): Promise<readonly [number, string]> => {
    const headers = { authorization: `Negotiate ${message}` }
    const answer = await fetch(urlOf('/rest/1.0/json?path=/'), { headers })
    return [answer.status, await answer.text()]
  }
  const [mutual, dceStyle] = [0x2, 0x1000]

  test('takes SPNEGO and plain Kerberos, once each', async () => {
    for (const mechanism of ['GSS_MECH_OID_SPNEGO', 'GSS_MECH_OID_KRB5']) {
      const message = await messageFor('HTTP@localhost', mechanism, mutual)
      expect((await show(message))[0], mechanism).toBe(200)
      expect(await show(message)).toEqual([401, expect.stringContaining('sent before')])
    }
  })

  test('refuses a ticket for another service of the keytab, conversations of many messages, and NTLM', async () => {
    const other = await messageFor('sluice@localhost', 'GSS_MECH_OID_SPNEGO', mutual)
    expect(await show(other)).toEqual([401, expect.stringContaining('for another server')])
    const long = await messageFor('HTTP@localhost', 'GSS_MECH_OID_SPNEGO', mutual | dceStyle)
    expect(await show(long)).toEqual([401, expect.stringContaining('more than one request')])
    const bare = await messageFor('HTTP@localhost', 'GSS_MECH_OID_KRB5', mutual | dceStyle)
    expect(await show(bare)).toEqual([401, expect.stringContaining('first message')])
    expect(await show('TlRMTVNTUAABAAAA')).toEqual([401, expect.stringContaining('NTLM')])
    // A valid ticket ends the delay after failures.
    expect((await curl('alice', urlOf('/rest/1.0/json?path=/'))).status).toBe(200)
  })

  test('S5: no ticket, cookie or key stands in the log, the health report, beans or metrics; names of callers do', async () => {
    const message = await messageFor('HTTP@localhost', 'GSS_MECH_OID_SPNEGO', mutual)
    await show(message)
    await show(message)
    const beans = [...json, '-d', '{"type":"read","mbean":"*:*"}', urlOf('/jolokia', 'admin')]
    const shown = await Promise.all([
      curl('ann/ops', ...beans),
      curl('ann/ops', urlOf('/metrics', 'admin')),
      curl('ann/ops', urlOf('/rest/1.0/healthcheck')),
    ])
    const log = lines.join('\n')
    expect(log).toMatch(/"who":"ann\.ops".*"operation":"MKDIRS","outcome":"ok"/)
    expect(log).toMatch(/"who":"alice".*"operation":"MKDIRS","outcome":"denied"/)
    expect(log).toMatch(/"msg":"a login failed: /)
    const everything = [log, ...shown.map(({ body }) => body)].join('\n')
    const key = (await readFile(keytab())).subarray(-40, -8)
    for (const secret of [
      message,
      message.slice(100, 140),
      key.toString('base64'),
      key.toString('hex'),
      'hadoop.auth=',
    ]) {
      expect(everything).not.toContain(secret)
    }
    expect(everything).not.toMatch(/Negotiate Y|sluice-session=/)
  })

  test('takes tickets for a new key as soon as the keytab has it', async () => {
    await kdc.changeKey('HTTP/localhost')
    tickets.set('alice', await ticketOf('alice'))
    const target = urlOf('/rest/1.0/json?path=/')
    expect(await curl('alice', target)).toMatchObject({ status: 401 })
    await kdc.addKeytab(keytab(), 'HTTP/localhost')
    expect(await curl('alice', target)).toMatchObject({ status: 200 })
  })
})
