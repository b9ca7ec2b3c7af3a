/** Takes the picture of a sandbox's inbox, which must have received something. */
export async function pictureInbox(browser, baseUrl, path) {
  const page = await browser.newPage({ viewport: { width: 1120, height: 640 } });
  await page.goto(baseUrl);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.screenshot({ path });
  await page.close();
}
