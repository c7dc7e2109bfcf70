import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { driversUrl, type Language } from './language.ts'
import { fetchBy, missingProgram, start } from './programs.ts'

const manifest = `[package]
name = "journey"
version = "0.0.0"
edition = "2021"

[dependencies]
openapi = { path = "../client" }
serde_json = "1"
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
`

/** reqwest. */
export const rust: Language = {
  name: 'rust',
  library: 'reqwest',
  options: ['-g', 'rust'],
  integers: 'exact',
  limits: 'TLS by default with the system’s OpenSSL (`libssl-dev`, `pkg-config`)',
  missing: () => missingProgram('cargo', '--version'),
  build: async ({ directory, kept }) => {
    const project = join(directory, 'journey')
    await mkdir(join(project, 'src'), { recursive: true })
    await writeFile(join(project, 'Cargo.toml'), manifest)
    await copyFile(fileURLToPath(new URL('journey.rs', driversUrl)), join(project, 'src', 'main.rs'))
    const at = { cwd: project, env: { CARGO_TARGET_DIR: join(kept, 'target') } }
    await fetchBy('cargo', ['fetch', '-q'], at)
    await start('cargo', ['build', '-q'], at)
    return (...args) => start(join(kept, 'target', 'debug', 'journey'), args, { cwd: directory })
  },
}
