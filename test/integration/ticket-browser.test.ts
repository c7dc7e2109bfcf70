/** A real Chromium with a real ticket: the page it asks for, without a login form. */
import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Kdc, startKdc } from '../../scripts/kerberos/kdc.ts'
import { getTicket, type TicketEnv } from '../../scripts/kerberos/ticket.ts'
import { browserFlags, findChromium } from '../suites/browser.ts'
import { describeUnless, missingForSpnego } from '../suites/kerberos.ts'
import { createSluice, type Sluice } from '../suites/sluice-process.ts'

const executablePath = findChromium()
const missing = executablePath === undefined ? 'no Chromium' : await missingForSpnego()

describeUnless(missing, 'a browser with a ticket', () => {
  let kdc: Kdc
  let sluice: Sluice
  let ticket: TicketEnv
  beforeAll(async () => {
    kdc = await startKdc()
    const file = (name: string): string => join(kdc.directory, name)
    await kdc.addKeytab(file('http.keytab'), 'HTTP/localhost')
    await kdc.addKeytab(file('alice.keytab'), 'alice')
    const { krb5Config } = kdc
    ticket = await getTicket({ krb5Config, principal: 'alice', keytab: file('alice.keytab'), cache: file('alice') })
    await writeFile(file('tokens'), 'principal: "*@SLUICE.TEST" roles: read,view\n')
    sluice = await createSluice({
      settings: [`auth.tokens=${file('tokens')}`, `auth.kerberos.keytab=${file('http.keytab')}`],
      env: { KRB5_CONFIG: krb5Config },
    })
    await sluice.start()
  })
  afterAll(async () => {
    await sluice?.close()
    await kdc?.stop()
  })

  /** Opens a page in a profile that is kept. */
  const visit = async (profile: string, url: string, selector: string): Promise<string> => {
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: executablePath ?? '',
      args: [...browserFlags, '--auth-server-allowlist=localhost'],
      env: { ...process.env, ...ticket },
    })
    try {
      const page = await context.newPage()
      await page.goto(url)
      return await page.locator(selector).first().innerText()
    } finally {
      await context.close()
    }
  }

  test('S7: sees files and beans without a login', async () => {
    const profile = await mkdtemp(join(kdc.directory, 'profile-'))
    const urlOf = (listener: string): string => (sluice.urls()?.[listener] ?? '').replace('127.0.0.1', 'localhost')
    // Chromium loads the system's Kerberos from the start that follows its first meeting with it.
    expect(await visit(profile, `${urlOf('server')}/rest/1.0/hdfs?path=/`, 'h1')).toBe('Log in')
    expect(await visit(profile, `${urlOf('server')}/rest/1.0/hdfs?path=/`, '[title^="Logged in as"]')).toBe('Log out')
    expect(await visit(profile, urlOf('admin'), 'header')).toContain('alice')
  })
})
