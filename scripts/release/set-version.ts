/** The places of the version in the clone. Generated files follow by `npm run generate`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

type Place = { readonly file: string /** All that is before it. */; readonly before: RegExp; readonly count: number }

const places: readonly Place[] = [
  { file: 'package.json', before: /^ {2}"version": "/gm, count: 1 },
  // The project's own version occurs twice in it, above everything else.
  { file: 'package-lock.json', before: /(?<="name": "sluice",\n {2,6}"version": ")/g, count: 2 },
  { file: 'openapi.yaml', before: /^ {2}version: /gm, count: 1 },
  { file: 'openapi-admin.yaml', before: /^ {2}version: /gm, count: 1 },
  { file: 'deploy/Containerfile', before: /^ARG VERSION=/gm, count: 1 },
  { file: 'deploy/helm/sluice/Chart.yaml', before: /^(?:version: |appVersion: "?)/gm, count: 2 },
]

/** Writes `next` wherever `current` is expected. @throws Error it does not occur as often as it should */
export const setVersion = (current: string, next: string): void => {
  for (const { file, before, count } of places.filter(place => existsSync(place.file))) {
    const text = readFileSync(file, 'utf8')
    const version = new RegExp(`(${before.source})${current.replaceAll('.', '\\.')}(?![\\w.])`, before.flags)
    const found = text.match(version)?.length ?? 0
    if (found !== count) throw new Error(`${file} has the version ${current} ${found} times, expected ${count}`)
    writeFileSync(file, text.replace(version, `$1${next}`))
  }
}
