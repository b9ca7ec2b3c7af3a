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

/** A group that is skipped as a whole is named once. */
function skippedIn(group) {
  return [...group.children].flatMap((child) => {
    if (child.type !== 'test') return child.options.mode === 'skip' ? [child.fullName] : skippedIn(child);
    const { state, note } = child.result();
    return state === 'skipped' ? [`${child.fullName}${note ? ` (${note})` : ''}`] : [];
  });
}
