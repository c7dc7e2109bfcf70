import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { missingForFakeClock } from '../../scripts/kerberos/fake-clock.ts'
import { type Kdc, type KdcOptions, startKdc } from '../../scripts/kerberos/kdc.ts'
import { missingForKerberos } from '../../scripts/kerberos/programs.ts'
import { getTicket, type TicketEnv } from '../../scripts/kerberos/ticket.ts'
import { describeUnless } from '../suites/kerberos.ts'

const noClock = await missingForFakeClock()

describeUnless(await missingForKerberos(), 'a KDC of its own', () => {
  let kdc: Kdc
  afterEach(() => kdc?.stop())

  /** From when until when the ticket of the cache is good, as seconds. */
  const timesOf = async ({ KRB5CCNAME, KRB5_CONFIG }: TicketEnv): Promise<readonly [number, number]> => {
    const env = { ...process.env, KRB5CCNAME, KRB5_CONFIG, LC_ALL: 'C', TZ: 'UTC' }
    const { stdout } = await promisify(execFile)('klist', [], { env })
    const [from = '', until = ''] = stdout.match(/\d\d\/\d\d\/\d\d \d\d:\d\d:\d\d/g) ?? []
    return [Date.parse(`${from} UTC`) / 1000, Date.parse(`${until} UTC`) / 1000]
  }
  const start = async (options?: KdcOptions): Promise<void> => {
    kdc = await startKdc(options)
    await kdc.addKeytab(keytabOf('alice'), 'alice')
    await kdc.addKeytab(keytabOf('service'), 'HTTP/localhost')
  }
  const keytabOf = (name: string): string => join(kdc.directory, `${name}.keytab`)
  const kinit = (keytab = keytabOf('alice')): Promise<TicketEnv> =>
    getTicket({ krb5Config: kdc.krb5Config, principal: 'alice', keytab, cache: join(kdc.directory, 'cache') })
  /** A ticket for the service, whose keytab must open it. */
  const visit = async (env: TicketEnv): Promise<string> => {
    const { stdout } = await promisify(execFile)('kvno', ['-k', keytabOf('service'), 'HTTP/localhost'], {
      env: { ...process.env, ...env },
    })
    return stdout
  }

  test('gives tickets for a keytab, and leaves nothing behind', async () => {
    await start()
    expect(await visit(await kinit())).toContain('HTTP/localhost@SLUICE.TEST: kvno = 1, keytab entry valid')
    // A second keytab of a principal leaves the first one valid.
    await kdc.addKeytab(keytabOf('other'), 'alice')
    await Promise.all([kinit(), kinit(keytabOf('other'))])
    const { directory } = kdc
    await kdc.stop()
    expect(existsSync(directory)).toBe(false)
    expect(kdc.pids()).toEqual([])
  })

  test('takes a password as well', async () => {
    await start()
    await kdc.addUser('bob', 'secret')
    const env = { ...process.env, KRB5_CONFIG: kdc.krb5Config, KRB5CCNAME: `FILE:${join(kdc.directory, 'cache')}` }
    const asked = (password: string) => {
      const run = promisify(execFile)('kinit', ['bob'], { env })
      run.child.stdin?.end(`${password}\n`)
      return run
    }
    await asked('secret')
    await expect(asked('wrong')).rejects.toThrow('incorrect')
  })

  test('takes keys and principals back', async () => {
    await start()
    const before = await kinit()
    await kdc.changeKey('alice')
    await expect(kinit()).rejects.toThrow(/Preauthentication failed|Password incorrect/)
    await kdc.addKeytab(keytabOf('alice'), 'alice')
    await kinit()
    await kdc.changeKey('HTTP/localhost')
    await expect(visit(before)).rejects.toThrow('kvno')
    await kdc.removePrincipal('alice')
    await expect(kinit()).rejects.toThrow('not found in Kerberos database')
  })

  test('gives tickets of seconds', async () => {
    await start({ ticketLifeSeconds: 3600 })
    const lifeOf = async (): Promise<number> => {
      const [from, until] = await timesOf(await kinit())
      return until - from
    }
    expect(await lifeOf()).toBe(3600)
    await kdc.limitLife('alice', 2)
    expect(await lifeOf()).toBe(2)
  })

  test('is away and comes back, with what it knew', async () => {
    await start()
    await kdc.kill()
    await expect(kinit()).rejects.toThrow('Cannot contact any KDC')
    await kdc.start()
    await kinit()
    await kdc.kill()
    const again = await startKdc({ directory: kdc.directory })
    try {
      await getTicket({
        krb5Config: again.krb5Config,
        principal: 'alice',
        keytab: keytabOf('alice'),
        cache: join(kdc.directory, 'cache'),
      })
    } finally {
      await again.stop()
    }
  })

  test.skipIf(noClock !== undefined)('has another time', async () => {
    await start({ clockOffsetSeconds: 7200 })
    const [ahead] = await timesOf(await kinit())
    const pid = kdc.pids()[0]
    await kdc.kill()
    expect((await readdir('/dev/shm')).filter(name => name.endsWith(`_${pid}`))).toEqual([])
    await kdc.start()
    const [now] = await timesOf(await kinit())
    expect(ahead - now).toBeGreaterThan(7000)
  })
})
