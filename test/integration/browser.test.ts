import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSmileWriter } from '../../src/formats/smile/writer.ts'
import { createToken } from '../../src/http/auth/auth.ts'
import { hashToken } from '../../src/http/auth/token-callers.ts'
import { describeBrowser } from '../suites/browser.ts'
import { type FlatFileSystem as FileSystem, fromVerbs } from '../suites/flat-filesystem.ts'
import { createTestGateway, type TestGateway } from '../suites/gateway.ts'
import { createMemoryFileSystem } from '../suites/memory-filesystem.ts'
import { hostileNames } from '../unit/gateway/pages/world.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const words = Array.from({ length: 350 }, (_, index) => `word ${index}\t${index * index}\n`).join('')
const toPage = (path: string, query = ''): string => `/rest/1.0/hdfs?path=${encodeURIComponent(path)}${query}`
/** What a page shows in the end; a busy machine takes its time. */
const openGateways: TestGateway[] = []

/** Images, one of which would like to do something. */
const drawing =
  '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20" onload="fetch(\'/ran\')"><script>fetch("/ran")</script><image href="/ran"/><rect width="20" height="20" style="fill:red"/></svg>'
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** A file system with something to look at. */
const createFiles = async (): Promise<FileSystem> => {
  const fileSystem = createMemoryFileSystem()
  const put = (path: string, content: string | Uint8Array) =>
    fileSystem.create(path, new Blob([Uint8Array.from(Buffer.from(content))]).stream())
  await put('/data/words.txt', words)
  await put('/data/events/day.smile', toSmile())
  await put(
    '/data/photo.jpg',
    Uint8Array.from({ length: 5_000 }, (_, index) => (index * 7919) % 256),
  )
  await put('/pictures/drawing.svg', drawing)
  await put('/pictures/no suffix', Buffer.from(png, 'base64'))
  await put('/pictures/wide.txt', Buffer.from('wide\nsecond', 'utf16le'))
  await put('/data/kinds.parquet', readFileSync(new URL('../fixtures/rows/kinds.parquet', import.meta.url)))
  await put('/data/damaged.smile', toSmile().subarray(0, 200))
  await put('/events/PageView/2024-05-01/23/a.txt', 'old\n')
  await put('/events/PageView/2024-05-02/08/b.txt', words)
  await put('/events/Purchase/2024-05-02/08/c.txt', words)
  await fileSystem.mkdirs('/data/empty')
  for (const name of hostileNames) await put(`/hostile/${name}`, `content of the file\n`)
  return fileSystem
}

/** The real server on a port of its own. */
const startServer = async (fileSystem: FileSystem, ...settings: string[]): Promise<string> => {
  const gateway = await createTestGateway({ fileSystem, settings: ['gateway.trash=0', ...settings] })
  openGateways.push(gateway)
  const listeners = await gateway.app.start()
  return listeners.find(({ name }) => name === 'server')?.url ?? ''
}

describeBrowser('U4: the browsing pages', browser => {
  let files: FileSystem
  let origin = ''
  let directory = ''
  beforeAll(async () => {
    files = await createFiles()
    origin = await startServer(files)
    directory = await mkdtemp(join(tmpdir(), 'sluice-browser-'))
  })
  afterAll(async () => {
    await Promise.all(openGateways.map(gateway => gateway.close()))
    await rm(directory, { recursive: true, force: true })
  })
  const read = async (path: string): Promise<string> => await new Response(await files.open(path)).text()
  const localFile = (name: string, content: string): string => {
    writeFileSync(join(directory, name), content)
    return join(directory, name)
  }
  const heading = async (page: Page): Promise<string> => (await page.locator('h1').innerText()).trim()

  test('lead from the address alone to the rows of a file, and to its downloads', async () => {
    const page = await browser.open(origin)
    await page.goto(`${origin}/`)
    await page.getByRole('link', { name: 'data (directory)' }).click()
    await page.getByRole('link', { name: 'words.txt' }).click()
    expect(await heading(page)).toBe('words.txt')
    expect(await page.locator('#row-7').innerText()).toMatch(/7\s+word 7\s+49/)
    for (const [name, want] of [
      ['Download', words],
      ['CSV', /^col-0,col-1\r\nword 0,0\r\n/],
      ['JSON', /"col-0":"word 349"/],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.locator('.downloads').getByRole('link', { name, exact: true }).click(),
      ])
      const text = readFileSync(await download.path(), 'utf8')
      if (typeof want === 'string') expect(text).toBe(want)
      else expect(text).toMatch(want)
    }
  })

  test('show images and the beginnings of texts, with what is in them at rest', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const page = await browser.open(origin, { javaScriptEnabled })
      const asked: string[] = []
      page.on('request', request => void asked.push(new URL(request.url()).pathname))
      for (const [name, size] of [
        ['drawing.svg', 20],
        ['no suffix', 1],
      ] as const) {
        await page.goto(`${origin}${toPage(`/pictures/${name}`)}`)
        expect(await page.getByRole('img', { name }).isVisible()).toBe(true)
        expect(await page.evaluate('document.images[0].decode().then(() => document.images[0].naturalWidth)')).toBe(
          size,
        )
      }
      expect(asked).not.toContain('/ran')
      await page.goto(`${origin}${toPage('/pictures/wide.txt')}`)
      expect(await page.locator('.rows tbody').innerText()).toMatch(/wide\s[\s\S]*second/)
    }
  })

  test('lead from the root to the newest rows of a type in 3 clicks, with script and without', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const page = await browser.open(origin, { javaScriptEnabled })
      await page.goto(`${origin}/`)
      await page.getByRole('link', { name: 'events (directory)' }).click()
      await page.getByRole('link', { name: 'PageView (directory)' }).click()
      await page.getByRole('link', { name: 'Newest rows' }).click()
      await page.waitForURL(/2024-05-02\/08\/b\.txt&range=250-349&order=desc$/)
      expect(await page.locator('.rows tbody tr').first().innerText()).toMatch(/word 349/)
    }
  })

  test('have keys for the filter, rows and pages, which never get in the way of typing', async () => {
    const page = await browser.open(origin)
    const focused = () => page.evaluate('document.activeElement?.textContent')
    await page.goto(origin + toPage('/data/words.txt'))
    for (const [key, want] of [
      ['j', '0'],
      ['j', '1'],
      ['j', '2'],
      ['k', '1'],
    ] as const) {
      await page.keyboard.press(key)
      expect(await focused()).toBe(want)
    }
    await page.keyboard.press('n')
    await page.waitForURL(/range=100-199/)
    await page.keyboard.press('p')
    await page.waitForURL(/range=0-99/)
    await page.keyboard.press('/')
    await page.keyboard.type('njk/?')
    expect(await page.locator('#where').inputValue()).toBe('njk/?')
    await page.keyboard.press('Escape')
    expect([await page.evaluate('document.activeElement?.tagName'), await page.locator('#where').inputValue()]).toEqual(
      ['BODY', 'njk/?'],
    )
    await page.keyboard.press('j')
    expect(await focused()).toBe('0')
    await page.goto(origin + toPage('/data'))
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    expect(await focused()).toContain('damaged.smile')
    await page.keyboard.press('Control+k')
    await page.keyboard.press('?')
    expect(await page.getByRole('dialog', { name: 'Keys' }).getByText('Next row or entry').isVisible()).toBe(true)
    await page.keyboard.press('n')
    await page.keyboard.press('Escape')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.keyboard.press('/')
    expect(await page.evaluate('document.activeElement?.id')).toBe('filter')
  })

  /** A page on which looking for rows was cut off after its first rows, and leads to another; as often as is wanted. */
  const openCutSearch = async (answers: number) => {
    const page = await browser.open(origin)
    const query = '&where=col-1+~+12&range=0-49'
    let asked = 0
    let hold = Promise.resolve()
    await page.route('**/rest/1.0/hdfs**', async route => {
      const mine = asked++
      if (mine > 0) await hold
      const first = mine * 50
      const real = await page.request.get(
        `${origin}${toPage('/data/words.txt')}&where=col-1+~+12&range=${first}-${first + 49}`,
        { headers: { accept: 'text/html' } },
      )
      const cut = mine < answers ? ' data-cut' : ''
      const link = `<a class="button" rel="next" href="${toPage('/data/words.txt')}&where=col-1+~+12&range=${first + 50}-${first + 99}">Continue</a>`
      const html = (await real.text())
        .replace(/(<div class="range top" data-found[^>]*?)(?: data-cut)?>/, `$1${cut}>`)
        .replaceAll(/<a class="button" rel="next"[^>]*>Continue<\/a>/g, '')
        .replace('<nav aria-label="Rows, top">', `<nav aria-label="Rows, top">${cut === '' ? '' : link}`)
      await route.fulfill({ contentType: 'text/html; charset=utf-8', body: html }).catch(() => {})
    })
    return {
      page,
      open: () => page.goto(origin + toPage('/data/words.txt') + query),
      holdNext: (until: Promise<void>): void => {
        hold = until
      },
      asked: () => asked,
    }
  }

  test('continue a search for rows by themselves after the time ran out, and add what is found', async () => {
    const { page, open, asked } = await openCutSearch(3)
    await open()
    await expect.poll(() => page.locator('.range.top p').innerText()).toContain('; to the end.')
    const numbers = await page.locator('.rows tbody .nr').allInnerTexts()
    expect(numbers.length).toBeGreaterThan(5)
    expect(numbers.map(Number)).toEqual(numbers.map(Number).toSorted((a, b) => a - b))
    expect(Number(numbers.at(-1))).toBeGreaterThan(100)
    expect(await page.locator('.range.top p').innerText()).toContain(`Found ${numbers.length} rows, looked at 200 rows`)
    expect([asked(), await page.locator('.rows table').count()]).toEqual([4, 1])
    // What was added opens by a click as well.
    await page.locator('.rows tbody tr').last().locator('td').first().click()
    await page.waitForURL(new RegExp(`row=${numbers.at(-1)}`))
  })

  test('stop a search for rows when the user says so, and can continue from there', async () => {
    const { page, open, holdNext } = await openCutSearch(1_000)
    holdNext(new Promise(() => {}))
    await open()
    expect(await page.getByRole('progressbar', { name: 'Searching' }).isVisible()).toBe(true)
    expect(await page.locator('.range.top p').innerText()).toContain('looked at 50 rows')
    await page.getByRole('button', { name: 'Stop' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('.range.top p').innerText()).toContain('; stopped.')
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Continue')
    expect(await page.getByRole('link', { name: 'Continue' }).getAttribute('href')).toContain('range=50-99')
  })

  test('page through rows, jump to one and open it', async () => {
    const page = await browser.open(origin)
    await page.goto(origin + toPage('/data/words.txt'))
    const rows = page.locator('.range.top p')
    for (const want of ['Rows 100–199', 'Rows 200–299', 'Rows 300–349 of 350']) {
      await page.getByRole('navigation', { name: 'Rows, top' }).getByText('Next').click()
      await page.waitForURL(/range=/)
      await expect.poll(() => rows.innerText()).toBe(want)
    }
    await page.getByRole('navigation', { name: 'Rows, top' }).getByText('Previous').click()
    await expect.poll(() => rows.innerText()).toBe('Rows 200–299')
    await page.getByLabel('Go to row').fill('123')
    await page.getByRole('button', { name: 'Go' }).click()
    await page.waitForURL(/#row-123$/)
    await page.locator('#row-123 td').first().click()
    await expect.poll(() => heading(page)).toBe('Row 123 of words.txt')
    await page.getByRole('link', { name: 'Next' }).click()
    await expect.poll(() => heading(page)).toBe('Row 124 of words.txt')
  })

  test('show nested values whole in the page of a row, and fold them', async () => {
    const page = await browser.open(origin)
    await page.goto(origin + toPage('/data/events/day.smile'))
    await page.getByRole('link', { name: 'Open row 2', exact: true }).click()
    const id = page.getByText('9007199254740995', { exact: true }).first()
    expect(await id.isVisible()).toBe(true)
    await page.locator('details.fold > summary').first().click()
    expect(await id.isVisible()).toBe(false)
  })

  test('work by keyboard: skip link, links in order, a visible focus', async () => {
    const page = await browser.open(origin)
    await page.goto(origin + toPage('/data'))
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Files')
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
    await page.keyboard.press('Enter')
    await page.waitForURL(/path=\/$/)
  })

  test('give lines for other programs: by keyboard, to copy with script and to select without', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const permissions = ['clipboard-read', 'clipboard-write']
      const page = await browser.open(origin, { javaScriptEnabled, permissions })
      await page.goto(origin + toPage('/data/words.txt'))
      const curl = page.locator('.use section').filter({ has: page.getByRole('heading', { name: 'curl' }) })
      expect(await curl.isVisible()).toBe(false)
      await page.locator('.use > summary').focus()
      await page.keyboard.press('Enter')
      const want = `curl -o 'words.txt' '${origin}/files/data/words.txt'`
      expect(await curl.locator('pre').innerText()).toBe(want)
      expect(await curl.getByRole('button').count()).toBe(javaScriptEnabled ? 1 : 0)
      if (!javaScriptEnabled) continue
      await curl.getByRole('button', { name: 'Copy' }).press('Enter')
      await expect.poll(() => curl.getByRole('status').innerText()).toBe('Copied')
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(want)
    }
  })

  test('choose columns by keyboard, with script and without', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const page = await browser.open(origin, { javaScriptEnabled })
      await page.goto(origin + toPage('/data/words.txt', '&range=100-199'))
      const chooser = page.locator('.choose > summary', { hasText: 'Columns' })
      await chooser.focus()
      for (const key of ['Enter', 'Tab', 'Tab', 'Space']) await page.keyboard.press(key)
      expect(await page.getByRole('checkbox', { name: 'col-1' }).isChecked()).toBe(true)
      for (const key of ['Tab', 'Enter']) await page.keyboard.press(key)
      await page.waitForURL(/columns=col-1/)
      expect(await page.locator('.rows thead').innerText()).toMatch(/#↑\s*col-1↕\s*$/)
      expect(await page.locator('#row-107').innerText()).toMatch(/107\s+11449/)
      await chooser.press('Enter')
      await page.getByRole('link', { name: 'Show all' }).click()
      await expect.poll(() => page.locator('#row-107').innerText()).toMatch(/107\s+word 107\s+11449/)
    }
  })

  test('show by keyboard, and on a phone, what is in a Parquet file', async () => {
    const page = await browser.open(origin, phone)
    await page.goto(origin + toPage('/data/kinds.parquet'))
    const bound = page.getByText('2026-11-22T08:00:24.123456Z', { exact: true }).first()
    expect(await bound.isVisible()).toBe(false)
    await page.locator('.parquet > summary').press('Enter')
    expect(await page.getByText('TIMESTAMP(MICROS, UTC)').isVisible()).toBe(true)
    await page.locator('.group > summary').first().press('Enter')
    expect(await bound.isVisible()).toBe(true)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  })

  test('upload several files with progress, ask before replacing, and take dropped ones', async () => {
    const page = await browser.open(origin)
    await files.delete('/up', { recursive: true })
    await files.mkdirs('/up')
    await page.goto(origin + toPage('/up'))
    await page.getByText('Upload', { exact: true }).first().click()
    const chosen = ['one.txt', 'two "2" #%+.txt'].map(name => localFile(name, `content of ${name}`))
    await page.getByLabel('Choose files').setInputFiles(chosen)
    await page.locator('.upload button.primary').click()
    await expect
      .poll(() => page.locator('.entries .name').allInnerTexts())
      .toEqual([expect.stringMatching(/^\.\./), 'one.txt', 'two "2" #%+.txt'])
    expect(await read('/up/two "2" #%+.txt')).toBe('content of two "2" #%+.txt')

    await page.evaluate(`
      const data = new DataTransfer()
      data.items.add(new File(['dropped'], 'one.txt'))
      dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true }))
    `)
    await expect.poll(() => page.locator('.transfers .failed').innerText()).toContain('one.txt')
    expect(await read('/up/one.txt')).toBe('content of one.txt')
    await page.getByRole('button', { name: 'Replace it' }).click()
    await expect.poll(() => read('/up/one.txt')).toBe('dropped')
  })

  test('show how far an upload is', async () => {
    let release = (): void => {}
    const released = new Promise<void>(resolve => {
      release = resolve
    })
    const slow = fromVerbs<FileSystem>({
      ...files,
      create: async (path, source, options) => {
        await released
        await files.create(path, source, options)
      },
    })
    const slowOrigin = await startServer(slow)
    const page = await browser.open(slowOrigin)
    await page.goto(slowOrigin + toPage('/data/empty'))
    await page.getByText('Upload', { exact: true }).first().click()
    await page.getByLabel('Choose files').setInputFiles(localFile('big.bin', 'x'.repeat(30_000_000)))
    await page.locator('.upload button.primary').click()
    await expect.poll(() => page.locator('.transfers li').innerText()).toMatch(/^big\.bin\s+\d+ % of 30\.0 MB/)
    expect(await page.evaluate<number>("document.querySelector('progress').value")).toBeLessThan(1)
    release()
    await expect.poll(() => page.locator('.entries .name').allInnerTexts()).toContain('big.bin')
  })

  test('upload a directory with all in it', async () => {
    const page = await browser.open(origin)
    await files.delete('/tree', { recursive: true })
    await files.mkdirs('/tree')
    await page.goto(origin + toPage('/tree'))
    await page.getByText('Upload', { exact: true }).first().click()
    const source = join(directory, 'top')
    mkdirSync(join(source, 'sub'), { recursive: true })
    writeFileSync(join(source, 'a.txt'), 'a')
    writeFileSync(join(source, 'sub', 'b #.txt'), 'b')
    await page.getByLabel('Or a directory').setInputFiles(source)
    await expect.poll(() => read('/tree/top/sub/b #.txt').catch(String)).toBe('b')
    await expect
      .poll(() => page.locator('.entries .name').allInnerTexts())
      .toEqual([expect.stringMatching(/^\.\./), expect.stringMatching(/^top/)])
    expect(await read('/tree/top/a.txt')).toBe('a')
  })

  test('cancel an upload and one that waits; the list shows what arrived all the same', async () => {
    let creates = 0
    let release = (): void => {}
    const released = new Promise<void>(resolve => {
      release = resolve
    })
    const slow = fromVerbs<FileSystem>({
      ...files,
      create: async (path, source, options) => {
        creates += 1
        if (creates === 2) await released
        await files.create(path, source, options)
      },
    })
    const slowOrigin = await startServer(slow)
    await files.delete('/cancel', { recursive: true })
    await files.mkdirs('/cancel')
    const page = await browser.open(slowOrigin)
    await page.goto(slowOrigin + toPage('/cancel'))
    await page.getByText('Upload', { exact: true }).first().click()
    const chosen = ['1.bin', '2.bin', '3.bin', '4.bin'].map(name => localFile(name, 'x'.repeat(10_000_000)))
    await page.getByLabel('Choose files').setInputFiles(chosen)
    await page.locator('.upload button.primary').click()
    await page.getByRole('button', { name: 'Cancel 3.bin' }).click()
    await expect.poll(() => page.locator('.transfers li').nth(0).innerText()).toContain('done')
    await page.getByRole('button', { name: 'Cancel 2.bin' }).click()
    await expect
      .poll(() => page.locator('.entries .name').allInnerTexts())
      .toEqual([expect.stringMatching(/^\.\./), '1.bin', '4.bin'])
    expect(await page.locator('.transfers .failed').allInnerTexts()).toEqual(['cancelled', 'cancelled'])
    release()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(2)
  })

  test('copy the path of a directory, and count what is below', async () => {
    const page = await browser.open(origin, { permissions: ['clipboard-read', 'clipboard-write'] })
    await page.goto(origin + toPage('/data/events'))
    await page.getByRole('button', { name: 'Copy path' }).click()
    await expect.poll(() => page.locator('.crumbs').innerText()).toContain('Copied')
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('/data/events')
    await page.getByRole('link', { name: 'size with all below' }).click()
    await expect
      .poll(() => page.getByRole('status').allInnerTexts())
      .toEqual(expect.arrayContaining([expect.stringContaining('in 1 file and 0 directories below.')]))
  })

  test('upload and delete without script', async () => {
    const page = await browser.open(origin, { javaScriptEnabled: false })
    await files.mkdirs('/plain')
    await page.goto(origin + toPage('/plain'))
    await page.getByText('Upload', { exact: true }).first().click()
    await page.getByLabel('File to put into this directory').setInputFiles(localFile('über uns.txt', 'hello'))
    await page.locator('.upload button.primary').click()
    await page.waitForURL(/done=uploaded/)
    expect(await page.getByRole('status').innerText()).toBe('Uploaded über uns.txt')
    await page.getByRole('link', { name: 'über uns.txt' }).click()
    await page.getByRole('link', { name: 'Delete…' }).click()
    expect(await heading(page)).toBe('Delete über uns.txt?')
    await page.getByRole('link', { name: 'Keep it' }).click()
    await page.getByRole('link', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(/done=deleted/)
    expect(await page.locator('.empty').innerText()).toContain('This directory is empty.')
    await expect(read('/plain/über uns.txt')).rejects.toMatchObject({ code: 'not-found' })
  })

  test('make, rename and move directories without script, by keyboard alone', async () => {
    const page = await browser.open(origin, { javaScriptEnabled: false })
    await files.create('/tidy/a b.txt', new Blob(['x']).stream())
    await page.goto(origin + toPage('/tidy'))
    await page.locator('summary', { hasText: 'New directory' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.type('old ones')
    await page.keyboard.press('Enter')
    await page.waitForURL(/done=created/)
    expect(await page.getByRole('status').innerText()).toBe('Created old ones')
    await page.getByRole('link', { name: 'a b.txt' }).click()
    await page.getByRole('link', { name: 'Rename or move…' }).press('Enter')
    await page.getByLabel('Name', { exact: true }).fill('c#d.txt')
    await page.getByLabel('Directory').fill('/tidy/old ones')
    await page.keyboard.press('Enter')
    await page.waitForURL(/done=moved/)
    expect(await page.getByRole('status').innerText()).toBe('Moved here: c#d.txt')
    expect(await read('/tidy/old ones/c#d.txt')).toBe('x')
    await page.getByRole('link', { name: 'Rename or move…' }).click()
    await page.getByLabel('Directory').fill('/tidy/old ones/c#d.txt')
    await page.getByRole('button', { name: 'Rename' }).click()
    expect(await page.locator('main').innerText()).toContain('into itself')
  })

  test.each([{ javaScriptEnabled: true }, { javaScriptEnabled: false }])(
    'choose entries, download and delete them, and bring one back: %j',
    async options => {
      const kept = await startServer(files, 'gateway.trash=60')
      const page = await browser.open(kept, options)
      await files.delete('/pick', { recursive: true })
      for (const name of ['a.txt', 'b c.txt', 'sub/d.txt'])
        await files.create(`/pick/${name}`, new Blob([name]).stream())
      await page.goto(kept + toPage('/pick'))
      const bar = page.locator('#selected')
      expect(await bar.isVisible()).toBe(false)
      await page.getByLabel('Select b c.txt').check()
      if (options.javaScriptEnabled) {
        expect(await bar.innerText()).toContain('1 selected:')
        await page.getByLabel('Select all on this page').check()
        expect(await bar.innerText()).toContain('3 selected:')
        await page.getByRole('button', { name: 'Select none' }).click()
        expect(await bar.isVisible()).toBe(false)
        await page.getByLabel('Select b c.txt').check()
      }
      await page.getByLabel('Select sub').check()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download zip' }).click(),
      ])
      expect(download.suggestedFilename()).toBe('pick.zip')
      expect(readFileSync(await download.path(), 'latin1')).toMatch(/pick\/b c\.txt[\s\S]*pick\/sub\/d\.txt/)
      await page.getByRole('button', { name: 'Delete…' }).click()
      expect(await heading(page)).toBe('Delete 2 entries?')
      await page.getByRole('button', { name: 'Move to trash' }).click()
      await page.waitForURL(/done=trashed-selected/)
      expect(await page.getByRole('status').first().innerText()).toContain('Moved to the trash: 2 entries')
      await page.getByRole('link', { name: 'a.txt' }).click()
      await page.getByRole('link', { name: 'Delete…' }).click()
      await page.getByRole('button', { name: 'Move to trash' }).click()
      await page.waitForURL(/done=trashed/)
      await expect(read('/pick/a.txt')).rejects.toMatchObject({ code: 'not-found' })
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.waitForURL(/done=moved/)
      expect(await read('/pick/a.txt')).toBe('a.txt')
      await files.delete('/user', { recursive: true })
    },
  )

  test('delete a full directory only after a second word', async () => {
    const page = await browser.open(origin)
    await files.create('/gone/a/b.txt', new Blob(['x']).stream())
    await page.goto(origin + toPage('/gone'))
    await page.getByRole('link', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    expect(page.url()).toContain('show=delete')
    await page.getByLabel('Yes, delete the directory').check()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(/done=deleted/)
    await expect(files.getFileStatus('/gone')).rejects.toMatchObject({ code: 'not-found' })
  })

  test.each(hostileNames)('lead to, show, download and delete the file %j', async name => {
    const page = await browser.open(origin)
    await page.goto(origin + toPage('/hostile'))
    const links = page.locator('.entries tbody a')
    const targets = await page.evaluate<string[]>(
      'Array.from(document.querySelectorAll(".entries tbody a"), link => link.href)',
    )
    const index = targets.findIndex(target => new URL(target).searchParams.get('path') === `/hostile/${name}`)
    await links.nth(index).click()
    expect(await page.locator('#row-0 td').innerText()).toBe('content of the file')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download', exact: true }).click(),
    ])
    expect(readFileSync(await download.path(), 'utf8')).toBe('content of the file\n')
    await page.getByRole('link', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(/done=deleted/)
    await expect(files.getFileStatus(`/hostile/${name}`)).rejects.toMatchObject({ code: 'not-found' })
  })

  test.each(['light', 'dark'] as const)('never scroll sideways on a phone (%s)', async colorScheme => {
    const page = await browser.open(origin, { ...phone, colorScheme })
    const targets = [
      '/',
      '/data',
      '/data/words.txt',
      '/data/events/day.smile',
      '/data/photo.jpg',
      '/data/damaged.smile',
      '/nope',
    ]
      .map(path => toPage(path))
      .concat(
        toPage('/data', '&recursive=true'),
        toPage('/data/events/day.smile', '&row=1'),
        toPage('/data', '&show=delete'),
        toPage('/data', '&show=rename'),
        toPage('/data', '&show=delete-selected&select=words.txt&select=events'),
      )
    for (const target of targets) {
      await page.goto(origin + target)
      await page.evaluate("for (const part of document.querySelectorAll('.use')) part.open = true")
      const widths = await page.evaluate<number[]>('[document.documentElement.scrollWidth, innerWidth]')
      expect([target, widths[0]]).toEqual([target, widths[1]])
    }
  })

  test('log in and out with a token, and return to the same page', async () => {
    const token = createToken()
    const tokens = localFile('tokens.yaml', `ann read sha256:${hashToken(token)}\n`)
    const guarded = await startServer(files, `auth.tokens=${tokens}`)
    const page = await browser.open(guarded)
    await page.goto(guarded + toPage('/data/words.txt'))
    await page.getByLabel('Token').fill('wrong')
    await page.getByRole('button', { name: 'Log in' }).click()
    expect(await page.getByRole('alert').innerText()).toBe('This token is not valid here.')
    await page.getByLabel('Token').fill(token)
    await page.keyboard.press('Enter')
    await expect.poll(() => heading(page)).toBe('words.txt')
    expect(await page.getByRole('link', { name: 'Delete…' }).count()).toBe(0)
    expect(await page.evaluate('document.cookie')).toBe('')
    await page.getByRole('button', { name: 'Log out' }).click()
    await expect.poll(() => heading(page)).toBe('Log in')
  })

  test('are out of reach for pages of other sites', async () => {
    const action = `${origin}${toPage('/data/words.txt', '&action=delete')}`
    const evil = await startEvil(
      `<form method="post" action="${action}"><button>win a prize</button></form><iframe src="${origin}/"></iframe>`,
    )
    const page = await browser.open([evil.origin, origin, 'chrome-error://chromewebdata'])
    await page.goto(evil.origin)
    await page.getByRole('button', { name: 'win a prize' }).click()
    await page.waitForURL(action)
    expect(await page.locator('body').innerText()).toContain('The Origin header names another site')
    expect(await read('/data/words.txt')).toBe(words)
    evil.server.close()
  })
})

/** A page of another origin. */
const startEvil = async (body: string): Promise<{ readonly origin: string; readonly server: Server }> => {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(body))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return { origin: `http://localhost:${(server.address() as AddressInfo).port}`, server }
}

function toSmile(): Uint8Array {
  const writer = createSmileWriter()
  writer.startArray()
  for (let index = 0; index < 20; index += 1) {
    writer.write({
      eventName: 'PageView',
      payload: {
        path: '/news',
        user: { id: 9_007_199_254_740_993n + BigInt(index), tags: ['a', 'b'] },
        note: 'x'.repeat(50),
      },
    })
  }
  writer.endArray()
  return writer.take()
}
