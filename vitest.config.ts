import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/setup/longest-first.ts'

// Tests start thousands of processes, and each would load and compile the same sources anew, for seconds. Coverage of functions
// needs that.
if (!process.argv.includes('--coverage')) {
  process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/sluice')
  process.env['SLUICE_TEST_BUNDLES'] ??= join(import.meta.dirname, 'node_modules/.cache/sluice-bundles')
}

/** Longest time that a poll waits, and that between two of its questions. */
const poll = { timeout: 60_000, interval: 10 }

/** Tests that only `npm run nightly` runs. */
const nightly = 'test/**/*.nightly.test.ts'

/**
 * Of tests whose time is largely waiting, for servers that would be asked for nothing else. Another number of workers needs a
 * turn of its own.
 */
const waitsForServers = {
  maxWorkers: availableParallelism() + 1,
  sequence: { groupOrder: 1 },
  expect: { poll: { ...poll, interval: 40 } },
}

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        // What a person waits for: files share their workers, and so the modules that are loaded.
        test: { name: 'unit', include: ['test/{unit,contract}/**/*.test.ts'], isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'system',
          include: ['test/{integration,exhaustive,model,fuzz}/**/*.test.ts'],
          exclude: [nightly],
          ...waitsForServers,
        },
      },
      // Where software of others is what is tried.
      {
        extends: true,
        test: { name: 'interop', include: ['test/interop/**/*.test.ts'], exclude: [nightly], ...waitsForServers },
      },
      // What shows once more, for long, what others show.
      { extends: true, test: { name: 'nightly', include: [nightly], ...waitsForServers } },
      // What people install, and where they run it.
      { extends: true, test: { name: 'packaging', include: ['test/packaging/**/*.test.ts'] } },
      // What the documents tell people to type.
      { extends: true, test: { name: 'docs', include: ['test/docs/**/*.test.ts'] } },
    ],
    globalSetup: ['test/setup/clusters.ts'],
    setupFiles: ['test/setup/unclosed-files.ts'],
    sequence: { sequencer: LongestFirst },
    // Where no locale is set, Java and Chromium take ASCII for the text of sources and the names of files.
    env: process.env['LC_ALL'] || process.env['LANG'] ? {} : { LC_ALL: 'C.UTF-8' },
    // On two cores one would be left for a person at the keyboard, and tests that wait for servers would wait alone.
    maxWorkers: '100%',
    // These end what hangs. Nothing here may depend on how fast the machine is.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll },
    // The native runner: tests and the processes they start then see the same source text, so coverage adds up.
    experimental: { viteModuleRunner: false },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text', 'json-summary'],
      autoAttachSubprocess: true,
    },
  },
})
