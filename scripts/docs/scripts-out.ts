import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Moves the inline scripts of a page into files, so that the site works where only script files may run (`script-src
 * 'self'`).
 */
export const takeScriptsOut = (html: string, outDir: string): string =>
  html.replaceAll(/<script(?: id="[^"]*")?>([\s\S]*?)<\/script>/g, (_, code: string) => {
    const name = `assets/page.${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`
    mkdirSync(join(outDir, 'assets'), { recursive: true })
    writeFileSync(join(outDir, name), code)
    return `<script src="/${name}"></script>`
  })
