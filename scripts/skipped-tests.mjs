// A reporter of vitest that names what was skipped, since the titles say why. Its default reporter only counts.
export default class SkippedTests {
  onTestRunEnd(modules) {
    // Whoever asks for one test by its title knows that the others are skipped.
    const titles = modules.flatMap((module) =>
      module.project.config.testNamePattern
        ? []
        : skippedIn(module).map((title) => `${module.relativeModuleId} > ${title}`),
    );
    if (titles.length > 0) process.stdout.write(`\nSkipped:\n${titles.map((title) => `  ${title}\n`).join('')}`);
  }
}

/** A group of which everything was skipped is named once. */
function skippedIn(group) {
  return [...group.children].flatMap((child) => {
    if (child.type === 'test' ? child.result().state === 'skipped' : child.state() === 'skipped')
      return [child.fullName];
    return child.type === 'test' ? [] : skippedIn(child);
  });
}
