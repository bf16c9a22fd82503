"""The URLs of the workbench, of the first page and of the help page."""

from __future__ import annotations

from django.urls import path

from budgeteer.workbench.views import compress, configure, downloads, edit, help_page, home, inputs, page, summary

app_name = "workbench"

urlpatterns = [
    path("", home.home, name="home"),
    path("open/", home.open_workspace, name="open"),
    path("help/", help_page.show, name="help"),
    path("samples/<slug:slug>/", home.open_sample, name="sample"),
    path("w/", home.listing, name="list"),
    path("w/new/", home.open_empty, name="new"),
    path("w/<uuid:workspace_id>/", page.detail, name="detail"),
    path("w/<uuid:workspace_id>/config/", configure.configure, name="configure"),
    path("w/<uuid:workspace_id>/config/paste/", configure.paste_config, name="paste_config"),
    path("w/<uuid:workspace_id>/undo/", configure.undo, name="undo"),
    path("w/<uuid:workspace_id>/redo/", configure.redo, name="redo"),
    path("w/<uuid:workspace_id>/item/", configure.item, name="item"),
    path("w/<uuid:workspace_id>/compress/", compress.compress, name="compress"),
    path("w/<uuid:workspace_id>/edit/", edit.edit, name="edit"),
    path("w/<uuid:workspace_id>/summary/", summary.summary, name="summary"),
    path("w/<uuid:workspace_id>/texts/", inputs.texts, name="texts"),
    path("w/<uuid:workspace_id>/sources/", inputs.add, name="add_source"),
    path("w/<uuid:workspace_id>/sources/<int:link_id>/", inputs.link, name="link"),
    path("w/<uuid:workspace_id>/rename/", page.rename, name="rename"),
    path("w/<uuid:workspace_id>/team/", page.team, name="team"),
    path("w/<uuid:workspace_id>/copy/", page.copy, name="copy"),
    path("w/<uuid:workspace_id>/delete/", page.delete, name="delete"),
    path("w/<uuid:workspace_id>/restore/", page.restore, name="restore"),
    path("w/<uuid:workspace_id>/export/<slug:what>/", downloads.export, name="export"),
]
