/** Takes the picture of a sandbox's inbox with the newest request open that a fault struck; there must be one. */
export async function pictureInbox(browser, baseUrl, path) {
  const page = await browser.newPage({ viewport: { width: 1120, height: 640 } });
  await page.goto(baseUrl);
  await page.locator('#list tbody tr', { hasText: 'fault' }).first().click();
  await page.getByRole('heading', { name: 'As a command' }).waitFor();
  await page.mouse.move(0, 0);
  await page.evaluate('scrollTo(0, 0)');
  await page.screenshot({ path });
  await page.close();
}
