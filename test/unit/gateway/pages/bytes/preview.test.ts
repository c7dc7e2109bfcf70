import { describe, expect, test } from 'vitest'
import { maxImageBytes, previewBytes } from '../../../../../src/gateway/pages/bytes/preview.ts'
import { createMemoryFileSystem } from '../../../../suites/memory-filesystem.ts'
import { createWorld } from '../world.ts'

const toPage = (path: string, query = '') => `/rest/1.0/hdfs?path=${encodeURIComponent(path)}${query}`
const bytesOf = (text: string) => Uint8Array.from(text, char => char.charCodeAt(0))
const noise = String.fromCharCode(...Array.from({ length: 300 }, (_, i) => (i * 7_919) % 256))
const utf16 = (text: string, littleEndian: boolean) => {
  const bytes = new Uint8Array(2 * text.length)
  const view = new DataView(bytes.buffer)
  for (const [i, char] of Array.from(text).entries()) view.setUint16(2 * i, char.charCodeAt(0), littleEndian)
  return bytes
}
const show = async (name: string, content: string | Uint8Array, query = '') =>
  await (await createWorld({ files: { [`/${name}`]: content } })).page(toPage(`/${name}`, query))
const toPreview = (html: string) => /<figure class="preview">([\s\S]*?)<\/figure>/.exec(html)?.[1]

describe('the page of an image', () => {
  test.each([
    ['PNG', `\x89PNG\r\n\x1a\n${noise}`],
    ['JPEG', `\xff\xd8\xff${noise}`],
    ['GIF', `GIF89a${noise}`],
    ['WebP', `RIFF\x10\0\0\0WEBP${noise}`],
    ['AVIF', `\0\0\0\x1cftypavif${noise}`],
  ])('shows it, whatever its name: %s', async (format, content) => {
    const html = await show('a "b".bin', bytesOf(content))
    const link = '/files/a%20%22b%22.bin'
    expect(toPreview(html)).toContain(`<img src="${link}" alt="a &quot;b&quot;.bin"`)
    expect(toPreview(html)).toContain(`Image, ${format}`)
    expect(html).not.toContain('class="notice')
    expect(html).toContain('Bytes in hexadecimal')
  })

  test('shows a drawing by its name, and its text where that is asked for', async () => {
    const drawing = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    const html = await show('a.SVG', drawing)
    expect(toPreview(html)).toContain('Image, SVG')
    expect(html).not.toContain('<script>alert')
    expect(await show('a.svg', drawing, '&show=rows')).toContain('&lt;script&gt;alert(1)')
    expect(await show('a.svg', drawing, '&range=0-9')).toContain('class="scroll rows"')
    expect(toPreview(await show('a.svg', 'no drawing'))).toContain('As text')
    expect(await show('a.xml', drawing)).toContain('class="scroll rows"')
  })

  test('that is too large to be loaded with it leads to it', async () => {
    const fileSystem = createMemoryFileSystem()
    await fileSystem.create('/a.png', new Blob([bytesOf(`\x89PNG\r\n\x1a\n${noise}`)]).stream())
    const length = (path: string) => (path === '/a.png' ? { length: maxImageBytes + 1 } : {})
    const getFileStatus = async (path: string) => ({ ...(await fileSystem.getFileStatus(path)), ...length(path) })
    const { page } = await createWorld({ fileSystem: { ...fileSystem, getFileStatus } })
    const html = await page(toPage('/a.png', '&show=bytes'))
    expect(html).toContain('This is an image (PNG) of 20 MB: up to 20 MB are shown here.')
    expect(html).not.toContain('<img')
  })

  test('shows it on its first page of bytes alone', async () => {
    const png = bytesOf(`\x89PNG\r\n\x1a\n${noise.repeat(20)}`)
    expect(await show('a.png', png, '&show=bytes&at=0-2048')).not.toContain('<img')
  })
})

describe('the bytes of a text', () => {
  test.each([
    ['UTF-8', 'grün\n\tб <b>', new TextEncoder().encode('grün\n\tб <b>')],
    ['UTF-8', 'half a char is none: ', bytesOf(`half a char is none: ${'x'.repeat(previewBytes - 22)}\xc3\xbc`)],
    ['UTF-16 (little endian)', 'abc grün', Uint8Array.of(0xff, 0xfe, ...utf16('abc grün', true))],
    ['UTF-16 (big endian)', 'abc grün', Uint8Array.of(0xfe, 0xff, ...utf16('abc grün', false))],
    ['UTF-16 (little endian)', 'without a mark', utf16('without a mark', true)],
    ['UTF-16 (big endian)', 'without a mark', utf16('without a mark', false)],
    ['Windows-1252 (Latin-1)', 'grün für 5 €', bytesOf('gr\xfcn f\xfcr 5 \x80')],
  ])('are read as %s, which is said: %s', async (encoding, text, bytes) => {
    const [, shown = ''] =
      /<pre>([\s\S]*?)<\/pre>/.exec(toPreview(await show('a.txt', bytes, '&show=bytes')) ?? '') ?? []
    expect(shown.replaceAll(/<\/?bdi>/g, '')).toContain(text.replaceAll('<b>', '&lt;b&gt;'))
    expect(shown).not.toContain('\ufffd')
    expect(toPreview(await show('a.txt', bytes, '&show=bytes'))).toContain(`, read as ${encoding}<`)
  })

  test('say how much of it is shown', async () => {
    const html = await show('a.txt', `first ${'x'.repeat(previewBytes)} last`, '&show=bytes')
    expect(toPreview(html)).toContain('The first 16,384 bytes as text, read as UTF-8')
    expect(toPreview(html)).not.toContain('last')
    expect(toPreview(await show('a.txt', 'short', '&show=bytes'))).toContain('As text, read as UTF-8')
  })

  test('have marks for what hides', async () => {
    expect(toPreview(await show('a.txt', 'a\u202eb\r\nc', '&show=bytes'))).toContain('title="U+202E"')
  })

  test('are rows, whatever the encoding', async () => {
    const html = await show('a.txt', Uint8Array.of(0xff, 0xfe, ...utf16('line 1\nline 2', true)))
    expect(html).toContain('class="scroll rows"')
    expect(html).toContain('line 2')
  })

  test.each([
    ['zeros', new Uint8Array(100)],
    ['noise', bytesOf(noise)],
    ['controls', bytesOf('abc\x01def')],
    ['too much beyond ASCII', bytesOf('\xe0\xe1ab\xe2\xe3')],
  ])('are none where they are no text: %s', async (_, bytes) => {
    const html = await show('a.bin', bytes, '&show=bytes')
    expect(toPreview(html)).toBeUndefined()
    expect(html).toContain('Bytes in hexadecimal')
  })
})
