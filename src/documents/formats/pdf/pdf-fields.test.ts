// Tests what is read from the forms of PDF files.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PDFDocument, PDFName, PDFString } from 'pdf-lib';
import { outline, parsed } from '../../testing/parsed.ts';

test('reads the values of filled fields after the text of their page, and no others', async () => {
  const file = await PDFDocument.create();
  const page = file.addPage();
  file.addPage().drawText('The second page.');
  page.drawText('Application for a boat', { x: 50, y: 750 });
  const form = file.getForm();
  const place = (at: number) => ({ x: 50, y: 600 - at * 40, width: 200, height: 20 });
  const name = form.createTextField('applicant.fullName');
  name.setText('Ann Lee');
  name.addToPage(page, place(0));
  const named = form.createTextField('f2');
  named.setText('Rome');
  named.addToPage(page, place(1));
  named.acroField.getWidgets()[0]?.dict.set(PDFName.of('TU'), PDFString.of('City of birth'));
  const empty = form.createTextField('empty');
  empty.addToPage(page, place(2));
  const secret = form.createTextField('secret');
  secret.setText('hunter2');
  secret.enablePassword();
  secret.addToPage(page, place(3));
  for (const box of ['insured', 'member'])
    form.createCheckBox(box).addToPage(page, { ...place(4), width: 20 });
  form.getCheckBox('insured').check();
  const boats = form.createRadioGroup('boats');
  for (const [at, option] of ['0', '1'].entries()) boats.addOptionToPage(option, page, place(5 + at));
  boats.select('1');
  const harbor = form.createDropdown('harbor');
  harbor.addOptions(['North', 'South']);
  harbor.select('South');
  harbor.addToPage(page, place(7));
  assert.deepEqual(outline(await parsed('a.pdf', await file.save())), [
    'paragraph: Application for a boat',
    'row: applicant full Name: Ann Lee',
    'row: City of birth: Rome',
    'row: insured: yes',
    'row: boats: 1',
    'row: harbor: South',
    'paragraph: The second page.',
  ]);
});
