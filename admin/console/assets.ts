// node-only: reads the console's files
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { extname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Asset, createAsset } from '../../src/http/answers/asset.ts'
import { readBaseStyle } from '../../src/http/answers/base-style.ts'
import { withoutComments } from './without-comments.ts'

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Reads the page, its modules and the chart library; by path. What is not a file of the page is left out. */
export const readAssets = (): ReadonlyMap<string, Asset> => {
  const folder = fileURLToPath(new URL('./static/', import.meta.url))
  const charts = join(createRequire(import.meta.url).resolve('uplot'), '..')
  const own = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
    Object.hasOwn(contentTypes, extname(name)),
  )
  return new Map([
    ['/', readAsset(join(folder, 'index.html'))],
    ['/console/base.css', toAsset('base.css', readBaseStyle())],
    ['/console/uplot.js', toAsset('uplot.js', toModule(readFileSync(join(charts, 'uPlot.iife.min.js'))))],
    ['/console/uplot.css', readAsset(join(charts, 'uPlot.min.css'))],
    ...own.map(name => [`/console/${name.replaceAll(sep, '/')}`, readOwn(join(folder, name))] as const),
  ])
}

/** A module of the library's script (a `var uPlot`): what it publishes as a module is not minified, twice the size as sent. */
const toModule = (script: Buffer): Buffer<ArrayBuffer> =>
  Buffer.concat([script, Buffer.from('\nexport default uPlot\n')])

const readOwn = (path: string): Asset =>
  extname(path) === '.js' ? toAsset(path, Buffer.from(withoutComments(readFileSync(path, 'utf8')))) : readAsset(path)

const readAsset = (path: string): Asset => toAsset(path, readFileSync(path))

const toAsset = (path: string, body: Buffer<ArrayBuffer>): Asset =>
  createAsset(body, contentTypes[extname(path)] ?? 'application/octet-stream')
