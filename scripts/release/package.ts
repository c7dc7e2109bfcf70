/** The package `sluice` as a folder: what `npm pack` puts into its file. */
import { cpSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildDist } from './dist.ts'
import { publishedManifest } from './manifest.ts'

/** What is to be read by people. */
export const papers = ['README.md', 'LICENSE', 'CHANGELOG.md'] as const

/** Makes `directory`, with the sources in the working directory rebuilt. */
export const buildPackage = async (directory: string): Promise<void> => {
  mkdirSync(directory, { recursive: true })
  await buildDist(join(directory, 'dist'))
  for (const map of globSync('dist/**/*.map', { cwd: directory })) rmSync(join(directory, map))
  cpSync('bin', join(directory, 'bin'), { recursive: true })
  for (const paper of papers) cpSync(paper, join(directory, paper))
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(publishedManifest, null, 2)}\n`)
}
